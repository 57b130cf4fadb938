// Tests rendering from the command line with a real Chromium: when a browser is used, what it gives, and that nothing is left over.
import assert from 'node:assert/strict'
import { access, chmod, readdir, readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { type DemoSite, startDemoSite } from '../../src/demo-site/index.ts'
import { Workplace } from './run-cli.ts'

const openSite = () => startDemoSite({ products: 20, crawlDelaySeconds: 0 })
const quick = ({ host, port }: DemoSite) => ['--allow-private', `${host}:${port}`, '--rate', 'unlimited']

/** A fake browser that writes a file when it is started. */
async function tellTaleBrowser(place: Workplace): Promise<string> {
  const path = place.file('browser.sh')
  await writeFile(path, `#!/bin/sh\ntouch ${place.file('was-started')}\nexit 1\n`)
  await chmod(path, 0o755)
  return path
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

test('with auto, only pages that need a browser are rendered, each once, and every record names its fetch mode and the reason', async () => {
  await using site = await openSite()
  await using place = await Workplace.open()

  const { code, stderr } = await place.run([
    ...['crawl', `${site.url}/almanac/`, '--render', 'auto', '--sitemap', 'skip', '--job', 'mixed'],
    ...['-o', 'out.jsonl', ...quick(site)],
  ])

  assert.equal(code, 0, stderr)
  const records = await place.records('out.jsonl')
  assert.equal(records.length, 51)
  for (const { _page, title, text } of records) {
    const isLive = String(_page.url).includes('/live/')
    assert.equal(_page.way, isLive ? 'browser' : 'http', String(_page.url))
    assert.ok(String(_page.why).length > 5)
    if (isLive) assert.match(String(_page.settled), /^(?:quiet|content)$/)
    if (isLive) assert.match(String(title), /^Day \d+0 of/)
    assert.match(String(text), /harbour/)
  }
  // Five pages need a browser, and only these five used one.
  const byWay = place
    .database()
    .prepare('SELECT way, count(*) AS count FROM attempts GROUP BY way ORDER BY way')
    .all() as Array<{ count: number }>
  assert.equal(byWay[1]!.count, 5)
  const shown = await place.run(['jobs', 'show', 'mixed'])
  assert.match(shown.stdout, /5 pages loaded in a browser/)
  const explained = await place.run(['explain', 'mixed', `${site.url}/almanac/live/10`])
  assert.match(explained.stdout, /attempt 1 at .*render\.needed[\s\S]*attempt 2 by browser at .*: ok/)
})

test('with auto, no browser starts if no page needs one', async () => {
  await using site = await openSite()
  await using place = await Workplace.open()
  const env = { SCRAPER_BROWSER_PATH: await tellTaleBrowser(place) }

  const { code, stderr } = await place.run(
    [
      'crawl',
      `${site.url}/blog/`,
      '--render',
      'auto',
      '--include',
      '/blog/**',
      '-o',
      'out.jsonl',
      ...quick(site),
    ],
    { env },
  )

  assert.equal(code, 0, stderr)
  const records = await place.records('out.jsonl')
  assert.ok(records.length > 5)
  assert.ok(records.every(({ _page }) => _page.way === 'http'))
  assert.equal(await exists(place.file('was-started')), false)
})

test('scrape writes a screenshot and a PDF of one page, and returns an evaluated value', async () => {
  await using site = await openSite()
  await using place = await Workplace.open()

  const { code, stdout, stderr } = await place.run([
    ...['scrape', `${site.url}/spa/item/3`, '--screenshot', 'shot.png', '--pdf', '--full-page'],
    ...['--wait-for', 'h1', '--js', '({ links: document.links.length })', '-f', 'json', ...quick(site)],
  ])

  assert.equal(code, 0, stderr)
  const record = JSON.parse(stdout)
  assert.deepEqual(record.js, { links: 1 })
  assert.equal(record._page.way, 'browser')
  assert.equal(record._page.why, 'the job asks for screenshot, pdf, wait_for, js')
  assert.equal((await readFile(place.file('shot.png'))).subarray(1, 4).toString(), 'PNG')
  const [pdf] = (await readdir(place.path)).filter(name => name.endsWith('.pdf'))
  assert.match(pdf!, /^127\.0\.0\.1-\d+-spa-item-3\.pdf$/)
  assert.equal((await readFile(place.file(pdf!))).subarray(0, 5).toString(), '%PDF-')
  assert.match(stderr, /wrote shot\.png/)
})

test('screenshots of a list are stored with the job, named in its records, exported if requested, and deleted with the job', async () => {
  await using site = await openSite()
  await using place = await Workplace.open()
  await writeFile(place.file('urls.txt'), [1, 2].map(n => `${site.url}/spa/item/${n}\n`).join(''))

  const run = ['run', 'urls.txt', '--screenshot', '--job', 'shots', '-o', 'out.jsonl', ...quick(site)]
  assert.equal((await place.run(run)).code, 0)

  const records = await place.records('out.jsonl')
  assert.deepEqual(
    records.map(({ _page }) => _page.artifacts),
    [['screenshot.png'], ['screenshot.png']],
  )
  const listed = await place.run(['jobs', 'artifacts', 'shots', '--json'])
  const facts = listed.stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  assert.deepEqual(
    facts.map(({ task_id, file, type }) => [task_id, file, type]),
    [1, 2].map(n => [`shots.${n}`, 'screenshot.png', 'image/png']),
  )
  assert.equal((await place.run(['jobs', 'artifacts', 'shots', '-o', 'files'])).code, 0)
  assert.deepEqual((await readdir(place.file('files'))).sort(), ['1', '2'])
  const shown = await place.run(['jobs', 'show', 'shots', '--task', '1'])
  assert.match(shown.stdout, /attempt 1 by browser .*jobs\/shots\/artifacts\/1\/screenshot\.png/)

  await place.run(['jobs', 'delete', 'shots'])
  const left = await readdir(place.file('.kscrape/blobs'), { recursive: true })
  assert.deepEqual(
    left.filter(name => name.endsWith('.png')),
    [],
  )
})

test('with the layout items, the folder of an item has its screenshot', async () => {
  await using site = await openSite()
  await using place = await Workplace.open()
  const job = {
    job_id: 'tree',
    items: [{ item_id: 'one', input: { url: `${site.url}/spa/item/1` } }],
    rendering: { screenshot: true },
    results: { layout: 'items' },
    policy: { host: { rate: 'unlimited' } },
    output: ['out.jsonl'],
  }
  await writeFile(place.file('job.json'), JSON.stringify(job))

  const { code, stderr } = await place.run([
    'jobs',
    'create',
    'job.json',
    '--allow-private',
    `${site.host}:${site.port}`,
  ])

  assert.equal(code, 0, stderr)
  const folder = '.kscrape/blobs/jobs/tree/items/one'
  assert.ok((await readdir(place.file(folder))).includes('screenshot.png'))
  const manifest = await readFile(place.file('.kscrape/blobs/jobs/tree/manifests/items/one.json'), 'utf8')
  assert.equal(JSON.parse(manifest).files.screenshot, 'jobs/tree/items/one/screenshot.png')
})

test('a named session continues from its last run, and without a name every run starts with an empty session', async () => {
  await using site = await openSite()
  await using place = await Workplace.open()
  const said = async (...flags: string[]) => {
    const page = ['scrape', `${site.url}/almanac/guestbook`, '--render', 'always', '-f', 'text']
    const { stdout, stderr, code } = await place.run([...page, ...flags, ...quick(site)])
    assert.equal(code, 0, stderr)
    return /storage \d+, cookie \d+/.exec(stdout)?.[0]
  }

  assert.equal(await said('--session', 'guest'), 'storage 1, cookie 1')
  assert.equal(await said('--session', 'guest'), 'storage 2, cookie 2')
  assert.equal(await said(), 'storage 1, cookie 1')
  assert.equal(await said('--session', 'other'), 'storage 1, cookie 1')
})

test('without a browser, tasks that need one fail at once with the remedy, and other tasks continue', async () => {
  await using site = await openSite()
  await using place = await Workplace.open()
  const env = { SCRAPER_BROWSER_PATH: place.file('none') }
  const always = await place.run(['scrape', `${site.url}/about`, '--render', 'always', ...quick(site)], {
    env,
  })
  assert.equal(always.code, 3, always.stderr)
  assert.match(always.stderr, /SCRAPER_BROWSER_PATH .*is not a program.*browser\.missing/)

  const rules = 'fields: { name: { css: h1, required: true } }'
  await writeFile(place.file('rules.yaml'), rules)
  const paths = ['/about', '/spa/item/1']
  await writeFile(place.file('urls.txt'), paths.map(path => `${site.url}${path}\n`).join(''))
  const run = ['run', 'urls.txt', '--render', 'auto', '--job', 'auto', ...quick(site)]
  const strict = await place.run([...run, '--extract', 'rules.yaml', '-o', 'out.jsonl'], { env })

  assert.equal(strict.code, 3, strict.stderr)
  assert.equal((await place.records('out.jsonl')).length, 1)
  const tasks = await place.run(['jobs', 'show', 'auto', '--tasks', 'failed'])
  assert.match(tasks.stdout, /browser\.missing .*\/spa\/item\/1 .*needs a browser.*kscrape doctor/)

  const plain = await place.run(
    ['run', 'urls.txt', '--render', 'auto', '-o', 'plain.jsonl', ...quick(site)],
    { env },
  )
  assert.equal(plain.code, 0, plain.stderr)
  const shell = (await place.records('plain.jsonl')).find(({ title }) => title === 'Loading…')
  assert.equal(shell!._page.way, 'http')
  assert.match(String(shell!._page.why), /there is no browser, so content/)
})

test('options that contradict each other are refused before anything runs', async () => {
  await using place = await Workplace.open()
  const refused = async (...flags: string[]) => {
    const { code, stderr } = await place.run(['scrape', 'https://shop.example/', ...flags])
    assert.equal(code, 2, stderr)
    return stderr
  }

  assert.match(
    await refused('--render', 'never', '--screenshot', 'a.png'),
    /--render never and --screenshot contradict/,
  )
  assert.match(await refused('--render', 'sometimes'), /not one of never, auto, always/)
  assert.match(await refused('--block', 'images,fots'), /"fots" is not one of .*did you mean "?fonts/i)
  assert.match(await refused('--mobile', 'Pixel 99'), /Pixel/)
  assert.match(await refused('--screenshot', 'https://shop.example/x'), /is the page, not a file/)
  assert.match(await refused('--screenshot', 'shop.jpg'), /"shop\.jpg" must be a PNG/)
})
