// Tests scraping one page from the command line: every format, single fields, and pages that cannot be fetched.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { startTestSite, type TestSite } from '../site/index.ts'
import { Workplace } from './run-cli.ts'

const leave = (site: TestSite) => ['--rate', 'unlimited', '--allow-private', `${site.host}:${site.port}`]

test('a URL without further flags prints its page as Markdown, and --format selects any other format', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const page = `${site.url}/about`
  const markdown = await place.run([page, ...leave(site)])
  assert.deepEqual([markdown.code, markdown.stderr], [0, ''])
  assert.match(markdown.stdout, /^# About Kestrel & Pine\n/)

  const shown = async (format: string) =>
    (await place.run(['scrape', page, '--format', format, ...leave(site)])).stdout
  const html = await shown('html')
  assert.equal(html, `${(await (await fetch(page)).text()).trimEnd()}\n`)
  assert.match(await shown('text'), /^About Kestrel & Pine\nFounded in 1998/)
  const record = JSON.parse(await shown('json'))
  assert.equal(record.title, 'About · Kestrel & Pine')
  const links = (await shown('links')).trimEnd().split('\n')
  assert.deepEqual(links, record.links)
  assert.ok(links.every(link => URL.canParse(link)))
})

test('with --field, each of several URLs prints one line, and an output file has a table', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const urls = [`${site.url}/about`, `${site.url}/jobs`]
  const lines = await place.run([
    ...urls,
    '--field',
    'name=h1',
    '--field',
    'links[]=a::attr(href)',
    ...leave(site),
  ])
  assert.equal(lines.code, 0, lines.stderr)
  const records = lines.stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  assert.deepEqual(records.map(({ name }) => name).length, 2)
  assert.ok(records.every(({ links }) => Array.isArray(links)))

  const written = await place.run([
    ...urls,
    `${site.url}/nowhere`,
    '--field',
    'name=h1',
    '-o',
    'out.csv',
    ...leave(site),
  ])
  assert.equal(written.code, 3)
  assert.equal(written.stdout, '')
  assert.match(written.stderr, /answered 404 .*\nwrote out\.csv/)
  assert.equal((await readFile(place.file('out.csv'), 'utf8')).trimEnd().split('\n').length, 3)

  const pages = await place.run([...urls, '-o', 'both.md', ...leave(site)])
  assert.equal(pages.code, 0, pages.stderr)
  assert.match(
    await readFile(place.file('both.md'), 'utf8'),
    /^<http.*\/about>\n\n# About[\s\S]*\n\n<http.*\/jobs>\n/,
  )
})

test('if several URLs are given, the wait limit is multiplied by their number', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const pages = Array.from({ length: 12 }, (_, page) => `/waits/${page}`)
  for (const page of pages) site.serve(page, `<h1>Page ${page}</h1>`)
  const allowed = ['--allow-private', `${site.host}:${site.port}`]
  const urls = pages.map(page => site.url + page)
  const { code, stdout, stderr } = await place.run([...urls, '--rate', '4/s', '--wait', '2s', ...allowed])
  assert.equal(code, 0, stderr)
  assert.equal(stdout.match(/^# Page /gm)?.length, pages.length, stderr)
})

test('a flag of another tool is translated only if the command has a flag with the same effect', async () => {
  await using place = await Workplace.open()
  assert.match((await place.run(['crawl', 'http://a.example', '--stealth'])).stderr, /use --browser stealth/)
  assert.doesNotMatch((await place.run(['jobs', 'list', '--stealth'])).stderr, /use/)
})

test('with a rules file, scrape prints only the fields of the rules, as JSON', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  await writeFile(
    place.file('rules.yaml'),
    'fields: { name: h1, price: { css: .price, as: money }, sku: { jsonld: Product.sku } }\n',
  )
  const listed = await (await fetch(`${site.url}/categories/lamps`)).text()
  const product = /href="(\/products\/[^"]+)"/.exec(listed)![1]!
  const { code, stdout, stderr } = await place.run([
    'scrape',
    `${site.url}${product}`,
    '--extract',
    'rules.yaml',
    ...leave(site),
  ])
  assert.equal(code, 0, stderr)
  const fields = JSON.parse(stdout)
  assert.deepEqual(Object.keys(fields), ['name', 'price', 'sku'])
  assert.equal(typeof fields.price.amount, 'number')
})

test('content that is not HTML is printed unchanged', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  site.serve('/data.json', { headers: { 'content-type': 'application/json' }, body: '{"a":1}' })
  const { code, stdout } = await place.run([`${site.url}/data.json`, ...leave(site)])
  assert.deepEqual([code, stdout], [0, '{"a":1}\n'])
})

test('a page that cannot be fetched leaves stdout empty and prints the reason on stderr', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const attempts: Array<[string, number, RegExp]> = [
    ['/status/404', 3, /\/status\/404 answered 404 \(http\.not-found\)/],
    ['/private/ledger', 5, /robots\.txt says "Disallow: \/private\/.*--ignore-robots/],
  ]
  for (const [path, expected, message] of attempts) {
    const { code, stdout, stderr } = await place.run(['scrape', `${site.url}${path}`, ...leave(site)])
    assert.deepEqual([code, stdout], [expected, ''], `${path}: ${stderr}`)
    assert.match(stderr, message)
  }
  const allTheSame = await place.run([
    'scrape',
    `${site.url}/private/ledger`,
    '--ignore-robots',
    ...leave(site),
  ])
  assert.equal(allTheSame.code, 0, allTheSame.stderr)
})

test('a host that does not exist is reported at once, and a non-ASCII host name is shown in its ASCII form', async () => {
  await using place = await Workplace.open()
  const { code, stderr } = await place.run(['scrape', 'http://münchen.invalid/'])
  assert.equal(code, 3)
  assert.match(stderr, /xn--mnchen-3ya\.invalid:80 (does not exist in|could not be looked up in) DNS/)
})

test('a page without text gives a record with a warning, both in the JSON and on stderr', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  site.serve(
    '/shell',
    '<title>Lamps</title><body><div id="root"></div><script src="/app.js"></script></body>',
  )
  const { code, stdout, stderr } = await place.run([
    ...['scrape', `${site.url}/shell`, '--format', 'json', '--render', 'never'],
    ...leave(site),
  ])
  assert.equal(code, 0, stderr)
  assert.deepEqual(
    JSON.parse(stdout)._page.warnings.map((warning: { code: string }) => warning.code),
    ['content.empty'],
  )
  assert.match(stderr, /warning: .*--render auto .*\(content\.empty\)/)
})

test('the summary of a crawl counts warnings by code', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  site.serve('/shell', '<title>Lamps</title><body><div id="root"></div></body>')
  const { code, stderr } = await place.run(['crawl', `${site.url}/shell`, ...leave(site)])
  assert.equal(code, 0, stderr)
  assert.match(stderr, /warnings: \d+ content\.empty/)
})
