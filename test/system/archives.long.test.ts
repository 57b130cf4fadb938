// Tests archives of rendered pages: they contain everything that a page loaded, exactly as received.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { chromium } from 'playwright-core'
import { findBrowser } from '../../src/fetch/browser/index.ts'
import { type WarcMember, warcMembers } from '../../src/results/warc-members.ts'
import { responseOf, splitHead } from '../../src/results/warc-reader.ts'
import { type ArchiveFile, ArchiveSite } from '../support/archive-site.ts'
import { Workplace } from './run-cli.ts'

const kinds = [
  'images',
  'post-json',
  'redirect',
  'latin',
  'sjis',
  'compressed',
  'far-frame',
  'worker',
  'push-state',
]

interface Har {
  startedDateTime: string
  time: number
  request: { url: string; headersSize: number; bodySize: number }
  response: {
    status: number
    headersSize: number
    bodySize: number
    content: { size: number; text: string }
  }
  timings: { wait: number }
}

let site: ArchiveSite
let place: Workplace
let members: WarcMember[]
before(async () => {
  site = await ArchiveSite.open()
  place = await Workplace.open()
  await writeFile(place.file('urls.txt'), kinds.map(kind => `${site.url}/${kind}`).join('\n'))
  const { code, stderr } = await place.run([
    ...[
      'run',
      'urls.txt',
      '--render',
      'always',
      '--archive',
      '--rate',
      'unlimited',
      '--job',
      'kept',
      '--quiet',
    ],
    ...site.places.flatMap(host => ['--allow-private', host]),
    ...['out.jsonl', 'pages.warc.gz', 'pages.wacz', 'pages.har'].flatMap(file => ['-o', file]),
  ])
  assert.equal(code, 0, stderr)
  members = [...warcMembers(await readFile(place.file('pages.warc.gz')))]
})
after(async () => {
  await place?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
})

const targetOf = ({ headers }: WarcMember): string =>
  headers.get('WARC-Target-URI')?.replace(site.url, '') ?? ''
const of = (type: string): WarcMember[] => members.filter(({ headers }) => headers.get('WARC-Type') === type)

test('every resource is stored with exactly the bytes that the site sent, in any charset and encoding', () => {
  const responses = new Map(of('response').map(member => [targetOf(member), responseOf(member)]))
  const expected = [
    '/red.png',
    '/site.css',
    '/latin',
    '/sjis',
    '/compressed',
    '/work.js',
    '/work-part.js',
    '/api/items',
  ]
  for (const path of expected) {
    const { body } = site.files[path] as ArchiveFile
    assert.deepEqual(responses.get(path)?.body, body, path)
  }
  const { httpHeaders } = responses.get('/compressed')!
  assert.deepEqual(
    httpHeaders.filter(([name]) => /content-encoding/.test(name)),
    [['x-orig-content-encoding', 'br']],
  )
})

test('redirects are archived with their status and headers, and a POST with its body', () => {
  const statuses = new Map(of('response').map(member => [targetOf(member), responseOf(member)]))
  assert.deepEqual(
    ['/redirect', '/redirect/2', '/landed'].map(path => statuses.get(path)?.status),
    [301, 302, 200],
  )
  assert.ok(
    statuses
      .get('/redirect')!
      .httpHeaders.some(([name, value]) => name === 'location' && value === '/redirect/2'),
  )
  const post = of('request').find(member => targetOf(member) === '/api/search')!
  const { lines, rest } = splitHead(post.block, 'latin1')
  assert.equal(lines[0], 'POST /api/search HTTP/1.1')
  assert.equal(rest.toString(), '{"q":"shoes","page":2}')
})

test('rendered markup is archived as a separate resource, and each body once per host', () => {
  const markup = of('resource').map(targetOf)
  assert.equal(markup.length, kinds.length)
  assert.ok(markup.includes('urn:dom:/never/requested'))
  assert.equal(of('response').filter(member => targetOf(member) === '/site.css').length, 1)
  assert.ok(of('revisit').some(member => targetOf(member) === '/site.css'))
})

test('the page list of the archive has every page, with its URL, title and text', async () => {
  const zip = await readFile(place.file('pages.wacz'))
  const start = zip.indexOf('{"format":"json-pages-1.0"')
  const [head, ...pages] = zip
    .toString('utf8', start, zip.indexOf('PK', start))
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line) as Record<string, string>)
  assert.equal(head!.hasText, true)
  assert.deepEqual(
    pages.map(({ url }) => url!.replace(site.url, '')).sort(),
    [...kinds.filter(kind => kind !== 'redirect').map(kind => `/${kind}`), '/landed'].sort(),
  )
  assert.ok(pages.every(({ title, text }) => title !== undefined && text !== undefined))
  assert.ok(pages.some(({ title }) => title === '日本語'))
})

test('our check finds that the archive follows the specification', async () => {
  const { code, stdout, stderr } = await place.run(['archive', 'check', 'pages.wacz', '--json'])
  assert.equal(code, 0, `${stdout}${stderr}`)
  const { ok, files, records, pages, problems } = JSON.parse(stdout) as Record<string, unknown>
  assert.deepEqual([ok, files, records, pages, problems], [true, 1, members.length, kinds.length, []])
})

test('a HAR has every exchange of the pages with its body, and the fields that DevTools needs', async () => {
  const { log } = JSON.parse(await readFile(place.file('pages.har'), 'utf8'))
  assert.equal(log.pages.length, kinds.length)
  const entry = (path: string) => log.entries.find(({ request }: Har) => request.url === `${site.url}${path}`)
  assert.equal(entry('/api/search').request.postData.text, '{"q":"shoes","page":2}')
  assert.equal(
    Buffer.from(entry('/latin').response.content.text, 'base64').toString('latin1').includes('Café'),
    true,
  )
  assert.equal(entry('/redirect').response.redirectURL, '/redirect/2')
  // DevTools refuses a file without these fields.
  for (const { startedDateTime, time, request, response, timings } of log.entries as Har[]) {
    const numbers = [time, request.headersSize, request.bodySize, response.status, response.headersSize]
    assert.ok(!Number.isNaN(Date.parse(startedDateTime)))
    assert.ok([...numbers, response.bodySize, response.content.size, timings.wait].every(Number.isFinite))
  }
  const css = log.entries.filter(({ request }: Har) => request.url === `${site.url}/site.css`)
  assert.ok(css.length > 3 && css.every(({ response }: Har) => response.content.text.startsWith('body {')))
})

interface Imported {
  url: string
  status: number
  method: string
  type: string
  body: string
}

test("Chrome's own DevTools import the HAR and show every exchange", async () => {
  const { executablePath } = (await findBrowser({ wants: 'full' }))!
  await using opened = new AsyncDisposableStack()
  const browser = opened.adopt(await chromium.launch({ executablePath, args: ['--no-sandbox'] }), one =>
    one.close(),
  )
  const page = await browser.newPage()
  await page.goto('devtools://devtools/bundled/devtools_app.html', { waitUntil: 'commit' })
  const text = await readFile(place.file('pages.har'), 'utf8')
  const imported = (await page.evaluate(
    // Does what "Import HAR" in the network panel does, inside the page of DevTools.
    `(async text => {
      const { HARFormat, Importer } = await import('devtools://devtools/bundled/models/har/har.js')
      const { log } = new HARFormat.HARRoot(JSON.parse(text))
      return Promise.all(Importer.Importer.requestsFromHARLog(log).map(async request => {
        const content = await request.requestContentData()
        const body = content.isTextContent ? content.text : content.base64 ?? ''
        return {
          url: request.url(), status: request.statusCode, method: request.requestMethod,
          type: request.resourceType().name(), body,
        }
      }))
    })(${JSON.stringify(text)})`,
  )) as Imported[]
  const { log } = JSON.parse(text) as { log: { entries: unknown[] } }
  assert.equal(imported.length, log.entries.length)
  const of = (path: string) => imported.find(({ url }) => url === `${site.url}${path}`)!
  assert.deepEqual([of('/api/search').method, of('/api/search').status], ['POST', 200])
  assert.equal(of('/redirect').status, 301)
  assert.equal(of('/red.png').type, 'image')
  assert.equal(of('/red.png').body, (site.files['/red.png'] as ArchiveFile).body.toString('base64'))
  assert.match(of('/site.css').body, /^body \{/)
})

test('records come from the rendered page, and the archived page gives the same records', async () => {
  const records = await place.records('out.jsonl')
  assert.equal(records.length, kinds.length)
  const again = await place.run(['reextract', 'kept', '-o', 'again.jsonl', '--quiet'])
  assert.equal(again.code, 0, again.stderr)
  assert.deepEqual(
    (await place.records('again.jsonl')).map(({ title }) => title).sort(),
    records.map(({ title }) => title).sort(),
  )
})

test('resources above the limit are not archived, a warning names them, and the page itself succeeds', async () => {
  await writeFile(
    place.file('small.yaml'),
    `urls: [${site.url}/images]\nrender: always\nresults: { archive: page, archive_max_bytes: 400, layout: items }\n`,
  )
  const { code, stderr } = await place.run([
    ...['jobs', 'create', 'small.yaml', '--rate', 'unlimited', '--allow-private', site.places[0]!, '--quiet'],
    ...['-o', 'small.jsonl', '-o', 'small.warc.gz'],
  ])
  assert.equal(code, 0, stderr)
  const [record] = await place.records('small.jsonl')
  assert.match(JSON.stringify(record!._page), /archive\.incomplete.*the archive lacks 2 of 4 resources/)
  const stored = [...warcMembers(await readFile(place.file('small.warc.gz')))]
  assert.ok(stored.some(member => targetOf(member) === '/site.css'))
  assert.ok(
    stored.every(member => member.headers.get('WARC-Type') === 'metadata' || !/png/.test(targetOf(member))),
  )
})

test('without the viewer package, `archive show` names the package to install', async () => {
  const { code, stderr } = await place.run(['archive', 'show', 'pages.wacz'])
  assert.equal(code, 2)
  assert.match(stderr, /the viewer is not installed; run "npm install replaywebpage" in this folder/)
  const none = await place.run(['archive', 'show', 'none.wacz'])
  assert.match(none.stderr, /there is no file none\.wacz/)
})

test('archiving without raw pages is refused, and the error names both fields', async () => {
  const { code, stderr } = await place.run(['run', 'urls.txt', '--archive', '--no-raw'])
  assert.equal(code, 2)
  assert.match(stderr, /archive "page" stores raw pages, and raw "none" stores none; remove one of them/)
})
