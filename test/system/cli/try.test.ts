// Tests kscrape try and the shell: the page is fetched once, politely, and cached.
import assert from 'node:assert/strict'
import { rename, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { eventually } from '../../support/eventually.ts'
import { Workplace } from '../run-cli.ts'

const allow = (site: TestSite) => ['--allow-private', `${site.host}:${site.port}`, '--rate', 'unlimited']
const page = '<h1>Blue lamp</h1><p class="price">€ 12.50</p><a href="/a">A</a><a href="/b">B</a>'

async function open(rules = 'fields:\n  title: h1\n  weight: .weight\n') {
  const opened = new AsyncDisposableStack()
  const site = opened.use(await startTestSite())
  const place = opened.use(await Workplace.open())
  site.serve('/lamp', page)
  await writeFile(place.file('rules.yaml'), rules)
  const url = `${site.url}/lamp`
  const flags = [url, ...allow(site)]
  return { site, place, url, flags, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

test('try requests the page once, and shows the record, where each field came from, and why a field is null', async () => {
  await using opened = await open()
  const { site, place, flags } = opened
  const first = await place.run(['try', ...flags, '--extract', 'rules.yaml'])
  assert.equal(first.code, 0, first.stderr)
  assert.match(first.stdout, /"title": "Blue lamp"/)
  assert.match(first.stdout, /title +css h1\n/)
  assert.match(first.stdout, /weight +nothing found by css \(\.weight\)\n/)
  assert.match(first.stdout, /rules@[0-9a-f]{8}, record 1 of 1/)
  assert.equal(site.requestsTo('/robots.txt').length, 1)

  await writeFile(place.file('rules.yaml'), 'fields:\n  price: { css: .price, as: money }\n')
  const second = await place.run(['try', ...flags, '--extract', 'rules.yaml', '--json'])
  const { kept, records } = JSON.parse(second.stdout)
  assert.equal(kept, true)
  assert.deepEqual(records[0].data.price, { amount: 12.5, currency: 'EUR' })
  assert.deepEqual(records[0].provenance.price, { from: 'css', by: '.price' })
  assert.equal(site.requestsTo('/lamp').length, 1)

  assert.equal((await place.run(['try', ...flags, '--fresh'])).code, 0)
  assert.equal(site.requestsTo('/lamp').length, 2)
})

test('invalid rules are reported with line and column, and no page is requested', async () => {
  await using opened = await open('fields:\n  title: h1[\n')
  const { site, place, flags } = opened
  const { code, stderr } = await place.run(['try', ...flags, '--extract', 'rules.yaml'])
  assert.equal(code, 2)
  assert.match(stderr, /rules\.yaml:2:10: /)
  assert.equal(site.requests.length, 0)
})

test('try refuses a page that robots.txt disallows, and reports a missing page as an error', async () => {
  await using opened = await open()
  const { site, place } = opened
  site.serve('/robots.txt', {
    headers: { 'content-type': 'text/plain' },
    body: 'User-agent: *\nDisallow: /lamp\n',
  })
  const forbidden = await place.run(['try', `${site.url}/lamp`, ...allow(site)])
  assert.equal(forbidden.code, 1)
  assert.match(forbidden.stderr, /robots\.disallowed/)
  assert.equal(site.requestsTo('/lamp').length, 0)
  const missing = await place.run(['try', `${site.url}/no-such-page`, ...allow(site)])
  assert.equal(missing.code, 1)
  assert.match(missing.stderr, /404/)
})

test('with --watch, each change of the rules is tried without a new request, and an error is shown with its position', async () => {
  await using opened = await open()
  const { site, place, flags } = opened
  const running = place.start(['try', ...flags, '--extract', 'rules.yaml', '--watch'])
  await eventually('the first record', () => running.stdout().includes('"title": "Blue lamp"'))
  await writeFile(place.file('rules.yaml'), 'fields:\n  title: [1\n')
  await eventually('the place of the mistake', () => /rules\.yaml:\d+:\d+: /.test(running.stdout()))
  // Many editors save by writing another file and renaming it.
  await writeFile(place.file('draft.yaml'), 'fields:\n  price: .price\n')
  await rename(place.file('draft.yaml'), place.file('rules.yaml'))
  await eventually('the record of the new rules', () => running.stdout().includes('"price": "€ 12.50"'))
  assert.equal(running.child.exitCode, null)
  running.child.kill('SIGTERM')
  await running.ended
  assert.equal(site.requestsTo('/lamp').length, 1)
})

test('the shell provides the page, selectors and rules, and evaluates one line after another', async () => {
  await using opened = await open()
  const { site, place, flags } = opened
  const lines = [
    "page.text('h1')",
    "$('a', 'href')",
    "const { data } = await rules({ price: { css: '.price', as: 'money' } })",
    'data.price.amount * 2',
    "await rules({ title: 'h1[' })",
    "$('a').length",
  ]
  const { code, stdout, stderr } = await place.run(['shell', ...flags], { stdin: `${lines.join('\n')}\n` })
  assert.equal(code, 0, stderr)
  assert.deepEqual(stdout.trim().split('\n'), [
    "'Blue lamp'",
    "[ '/a', '/b' ]",
    '25',
    'Uncaught rules:3:14: fields.title: Selector "h1[", at character 3: the bracket is not closed',
    '2',
  ])
  assert.equal(site.requestsTo('/lamp').length, 1)
})

test('try --why explains the page kind, the main content and what was left out', async () => {
  await using opened = await open()
  const { site, place } = opened
  const prose = 'The lighthouse was built in the spring, and it has stood on the quay ever since. '.repeat(14)
  site.serve(
    '/story',
    `<title>The lighthouse</title><nav><a href="/a">Harbour</a> <a href="/b">Weather</a></nav><main><h1>The lighthouse</h1><p>${prose}</p></main><footer>Imprint</footer>`,
  )
  const { code, stdout, stderr } = await place.run(['try', `${site.url}/story`, ...allow(site), '--why'])
  assert.equal(code, 0, stderr)
  assert.match(stdout, /^page kind: article .*characters of running text/m)
  assert.match(stdout, /^main content: html > body > main$/m)
  assert.match(stdout, /navigation .*html > body > nav, 15 characters: Harbour Weather/)
  assert.match(stdout, /footer .*html > body > footer, 7 characters: Imprint/)
  const refused = await place.run(['try', `${site.url}/story`, '--why', '--extract', 'rules.yaml'])
  assert.equal(refused.code, 2)
  assert.match(refused.stderr, /--why explains the default record; leave out --extract/)
})
