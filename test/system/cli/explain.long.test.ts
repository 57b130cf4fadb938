// Tests kscrape explain: for each case, the output names the rule or the reason.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { eventually } from '../../support/eventually.ts'
import { Workplace } from '../run-cli.ts'

let site: TestSite
let place: Workplace

/** One crawl that contains every case. */
before(async () => {
  site = await startTestSite()
  place = await Workplace.open()
  const links = [
    '/about',
    '/private/ledger',
    '/cal/2026',
    '/duplicate/a',
    '/duplicate/b',
    '/status/404',
    '/redirect/status/301?to=/jobs',
  ]
  site.serve(
    '/start',
    links.map(link => `<a href="${link}">${link}</a>`).join(' ') +
      '<a href="https://elsewhere.example/">away</a>',
  )
  const { code, stderr } = await place.run([
    ...[
      'crawl',
      `${site.url}/start`,
      '--depth',
      '1',
      '--sitemap',
      'skip',
      '--exclude',
      '**/cal/**',
      '--job',
      'why',
      '-o',
      'out.jsonl',
    ],
    ...['--rate', 'unlimited', '--allow-private', `${site.host}:${site.port}`, '--quiet'],
  ])
  assert.equal(code, 0, stderr)
})

after(async () => {
  await place[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

const explain = async (path: string, job = 'why'): Promise<string> => {
  const { code, stdout, stderr } = await place.run([
    'explain',
    job,
    path.startsWith('/') ? site.url + path : path,
  ])
  assert.equal(code, 0, stderr)
  return stdout
}

const cases: Array<[string, string, RegExp[]]> = [
  [
    'a page that was fetched',
    '/about',
    [
      /^why\.\d+: fetched$/m,
      /depth 1: linked from .*\/start/,
      /attempt 1 at .*: ok, HTTP 200/,
      /robots\.txt .*allowed/,
    ],
  ],
  [
    'a page that robots.txt disallows',
    '/private/ledger',
    [/: skipped, robots\.disallowed: robots\.txt says "Disallow: \/private\//],
  ],
  [
    'a page that a glob excludes',
    '/cal/2026',
    [/not in the job: scope\.refused, by the rule: exclude \*\*\/cal\/\*\*/],
  ],
  [
    'a page of another host',
    'https://elsewhere.example/',
    [/not in the job: scope\.refused, by the rule: host elsewhere\.example/],
  ],
  [
    'a page that no other page links to',
    '/contact',
    [/not in the job: never found/, /more than 1 links away/],
  ],
  ['a page that does not exist', '/status/404', [/: failed, http\.not-found: .*answered 404/]],
  [
    'a URL in a form that is not canonical',
    '/about?utm_source=x#top',
    [/^canonical form: .*\/about$/m, /: fetched/],
  ],
  ['the target of a redirect', '/jobs', [/\/redirect\/status\/301\?to=.*redirects to this URL/, /: fetched/]],
]

for (const [title, path, patterns] of cases) {
  test(`explain gives the reason for ${title}`, async () => {
    const text = await explain(path)
    for (const pattern of patterns) assert.match(text, pattern)
  })
}

test('if a page has the same body as an earlier page, explain names the earlier page', async () => {
  const both = (await explain('/duplicate/a')) + (await explain('/duplicate/b'))
  assert.match(both, /: skipped, duplicate\.(content|canonical): /)
  assert.match(both, /duplicate of why\.\d+, http.*\/duplicate\/[ab]/)
})

test('explain shows the reason why a page still waits', async () => {
  site.serve('/slow', '<a href="/one">1</a>')
  const crawl = place.start([
    ...['crawl', `${site.url}/slow`, '--rate', '1/h', '--ignore-robots', '--sitemap', 'skip'],
    ...[
      '--allow-private',
      `${site.host}:${site.port}`,
      '-o',
      'slow.jsonl',
      '--job',
      'slow',
      '--quiet',
      '--data-dir',
      'other',
    ],
  ])
  await eventually('the first page', () => site.requestsTo('/slow').length > 0)
  const ask = async () =>
    (await place.run(['explain', 'slow', `${site.url}/one`, '--data-dir', 'other'])).stdout
  await eventually('its link', async () => /slow\.\d+/.test(await ask()))
  const text = await ask()
  assert.match(text, /^slow\.2: waiting$/m)
  assert.match(text, /waits for a slot at 127\.0\.0\.1/)
  assert.match(text, /the job ignores it/)
  crawl.child.kill('SIGTERM')
  assert.equal((await crawl.ended).code, 130)
})

test('explain --json prints state and reason as JSON', async () => {
  const { stdout } = await place.run(['explain', 'why', `${site.url}/private/ledger`, '--json'])
  const { task_id, state, reason, lines } = JSON.parse(stdout)
  assert.match(task_id, /^why\.\d+$/)
  assert.deepEqual([state, reason], ['skipped', 'robots.disallowed'])
  assert.ok(lines.length > 2)
})
