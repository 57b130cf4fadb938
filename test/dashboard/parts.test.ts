// Tests parts of the dashboard that need no browser: formatting, interrupted event streams, and drafts of jobs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JobSummary, JobTimeline } from '../../dashboard/src/api.ts'
import { cronWords, presets } from '../../dashboard/src/cron-words.ts'
import {
  bytes,
  cell,
  headlineOf,
  markOf,
  percent,
  several,
  span,
  urlParts,
  webAddress,
} from '../../dashboard/src/format.ts'
import { type Drawn, drawnOf } from '../../dashboard/src/pages/job/drawn.ts'
import { csvOf, type Row, type Sorting, sorted } from '../../dashboard/src/pages/job/records-view.ts'
import { grouped } from '../../dashboard/src/pages/jobs/grouped.ts'
import { withHeard } from '../../dashboard/src/pages/jobs/heard.ts'
import { type Draft, emptyDraft, jobOf, missingIn, rulesOf } from '../../dashboard/src/pages/new-job/draft.ts'
import { snippetsOf } from '../../dashboard/src/pages/new-job/snippets.ts'
import { nextStep } from '../../dashboard/src/pages/task/next-step.ts'
import { jobWords, outcomeTone } from '../../dashboard/src/state-words.ts'
import { follow } from '../../dashboard/src/stream.ts'
import { failures } from '../../src/model/failures.ts'
import { wasteReason } from '../../src/model/remedies.ts'
import { TestService } from '../support/service.ts'

test('durations, sizes and percentages have readable units', () => {
  assert.deepEqual([0, 999, 1_500, 59_000, 3_725_000, 90_000_000].map(span), [
    '0 ms',
    '999 ms',
    '1.5 s',
    '59 s',
    '1 h 2 min',
    '1 d 1 h',
  ])
  assert.deepEqual([0, 999, 1_500, 2_500_000_000].map(bytes), ['0 B', '999 B', '1.5 KB', '2.5 GB'])
  assert.deepEqual(
    [percent(0, 0), percent(1, 3), percent(999_999, 1_000_000), percent(5, 5)],
    ['0 %', '33.3 %', '99.9 %', '100 %'],
  )
})

test('only web URLs become links', () => {
  for (const text of [
    'javascript:alert(1)',
    ' JaVaScRiPt:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    '//x',
    'x',
    '',
  ])
    assert.equal(webAddress(text), undefined, text)
  assert.equal(webAddress('https://a.example/?q=<b>'), 'https://a.example/?q=%3Cb%3E')
})

test('money is shown as an amount with its currency, other objects as JSON', () => {
  assert.equal(cell({ amount: 27.95, currency: 'EUR' }), '27.95 EUR')
  assert.equal(cell({ amount: 17.5, currency: 'EUR' }), '17.50 EUR')
  assert.equal(cell({ amount: 130, currency: 'JPY' }), '130 JPY')
  assert.equal(cell({ a: 1 }), '{"a":1}')
  assert.equal(cell(null), '')
})

test('if all hosts of a running job wait, the job page says so, and a paused job shows its reason', () => {
  const wait = (reason: string) => [
    { reason, hosts: 2, tasks: 5, nextAt: null, exampleHost: 'a.example', why: 'x' },
  ]
  const running = { status: 'running', reason: null } as const
  assert.equal(jobWords({ ...running, waiting: wait('retry-after') }).words, 'Rate limited')
  assert.equal(jobWords({ ...running, waiting: wait('hours') }).words, 'Waiting for hours')
  assert.equal(jobWords({ ...running, waiting: wait('hours'), inFlight: 3 }).words, 'Running')
  assert.equal(jobWords({ ...running, waiting: wait('rate') }).words, 'Running')
  assert.equal(jobWords({ status: 'paused', reason: 'breaker' }).words, 'Paused: breaker')
  assert.equal(jobWords({ status: 'paused', reason: 'limit.bytes' }).words, 'Paused: data limit')
  assert.equal(jobWords({ status: 'paused', reason: wasteReason }).words, 'Paused: walls')
  assert.deepEqual(['ok', 'robots.disallowed', 'host.throttled', 'http.not-found'].map(outcomeTone), [
    'ok',
    'idle',
    'warn',
    'bad',
  ])
})

test('a job is listed once with its latest state, whether the list or the event arrives first', () => {
  const job = (jobId: string, status: string, minute: number) =>
    ({ jobId, status, createdAt: `2026-01-01T00:0${minute}:00.000Z` }) as JobSummary
  const heard = new Map<string, JobSummary | null>([
    ['ended', job('ended', 'completed', 2)],
    ['young', job('young', 'running', 4)],
    ['older-than-the-page', job('older-than-the-page', 'running', 0)],
    ['deleted', null],
  ])
  const listed = [job('deleted', 'failed', 3), job('ended', 'running', 2), job('quiet', 'paused', 1)]
  const all = { states: [], isSearched: false }
  const shown = (...given: Parameters<typeof withHeard>) =>
    withHeard(...given).map(({ jobId, status }) => `${jobId} ${status}`)
  const expected = ['young running', 'ended completed', 'quiet paused']
  assert.deepEqual(shown(listed, heard, all), expected)
  assert.deepEqual(shown([job('young', 'pending', 4), ...listed], heard, all), expected)
  assert.deepEqual(shown(listed, heard, { ...all, states: ['running'] }), ['young running'])
  assert.deepEqual(shown(listed, heard, { ...all, isSearched: true }), expected.slice(1))
})

const timelineOf = (counts: Array<[second: number, times: number]>): JobTimeline => ({
  ...{ jobId: 'j', from: null, stepMs: 1_000, tasks: 0 },
  steps: counts.map(([second, ok]) => ({ at: new Date(second * 1_000).toISOString(), byReason: { ok } })),
})

test('a chart counts every attempt once, shows pauses, and is smooth for a slow job', () => {
  const total = ({ outcomes }: Drawn) => outcomes[0]!.values.reduce((sum, value) => sum + value, 0)
  const fast = drawnOf(timelineOf([...Array(20).keys()].map(second => [second, 50])), true)
  assert.deepEqual([fast.times.length, total(fast), new Set(fast.pace[0]!.values).size], [20, 1_000, 1])
  const paused = drawnOf(
    timelineOf([
      [0, 9],
      [9, 9],
    ]),
    true,
  )
  assert.deepEqual(paused.pace[0]!.values, [9, 0, 0, 0, 0, 0, 0, 0, 0, 9])
  const slow = drawnOf(timelineOf([...Array(40).keys()].map(n => [n * 3, 1])), true)
  assert.equal(total(slow), 40)
  assert.ok(slow.pace[0]!.values.every(value => value > 0.2 && value < 0.5))
  const [before, once, after] = drawnOf(timelineOf([[7, 4]]), true).pace[0]!.values
  assert.deepEqual([before, once, after], [0, 4, 0])
  assert.deepEqual(drawnOf(timelineOf([]), false).times, [])
})

test('for every failure of a task, the advice is more specific than the default', () => {
  const usual = nextStep('no.such-reason')
  // Failure codes about requests to the service, about whole jobs, or about content that is not a page.
  const notOfTasks =
    /^(request|route|method|cursor|key|host\.unknown|listing|item|artifact|queue|server|schedule|upload|webhook|store|sink|feature|replay|input|scope\.listed|scraper\.unknown|policy|page\.not-kept|job\.(unknown|exists|wrong-state))/
  const without = Object.keys(failures).filter(code => nextStep(code) === usual && !notOfTasks.test(code))
  assert.deepEqual(without, [])
})

test('a broken event stream is opened again, and is closed when no component uses it', async () => {
  const seen: number[] = []
  const { promise: enough, resolve } = Promise.withResolvers<void>()
  let opened = 0
  async function* open(signal: AbortSignal) {
    opened += 1
    yield opened
    if (opened === 1) throw new Error('broken off')
    // Keeps the event stream open until the reader disconnects.
    await new Promise(done => signal.addEventListener('abort', done))
  }
  const states: string[] = []
  const leave = follow({
    open,
    onEvent: number => void (seen.push(number) === 2 && resolve()),
    onState: state => states.push(state),
  })
  await enough
  leave()
  assert.deepEqual(seen, [1, 2])
  assert.deepEqual(states, ['live', 'waiting', 'live'])
})

const field = {
  id: 1,
  name: 'price',
  css: '.price',
  attr: '',
  as: 'money',
  many: false,
  examples: [] as number[],
  required: false,
} as const

const draftOf = (part: Partial<Draft>): Draft => ({
  ...emptyDraft('Europe/Berlin'),
  url: 'https://shop.example/',
  ...part,
})

test('a draft of a job contains only the fields that the user set', () => {
  assert.deepEqual(jobOf(draftOf({ source: 'page' })), { urls: ['https://shop.example/'] })
  assert.deepEqual(
    jobOf(
      draftOf({ rate: '0.5', labels: 'team: prices, env=test', render: 'auto', include: '/a/**\n/b/**' }),
    ),
    {
      ...{
        seedUrls: ['https://shop.example/'],
        depth: 2,
        maxPages: 100,
        include: ['/a/**', '/b/**'],
        render: 'auto',
      },
      ...{ policy: { host: { rate: 0.5 } }, labels: { team: 'prices', env: 'test' } },
    },
  )
  assert.deepEqual(
    rulesOf({
      each: '.product',
      fields: [field, { ...field, name: 'name', css: 'h2', as: '' }, { ...field, css: ' ' }],
    }),
    {
      each: '.product',
      fields: { price: { css: '.price', as: 'money' }, name: 'h2' },
    },
  )
  assert.equal(rulesOf({ each: '', fields: [] }), undefined)
})

test('the form of a job names missing fields, and names none for a complete draft', () => {
  assert.match(missingIn(draftOf({ url: 'javascript:alert(1)' })) ?? '', /address/)
  assert.match(missingIn(draftOf({ source: 'urls', urls: ' \n' })) ?? '', /address/)
  assert.equal(missingIn(draftOf({})), null)
})

test('the service accepts the code that the dashboard shows for a job, and the code contains no key', async () => {
  await using service = await TestService.open({ settings: { denyHosts: ['shop.example'] } })
  const bodyIn = (text: string) => JSON.parse(/<<'JSON'\n([\s\S]*)\nJSON/.exec(text)![1]!) as object
  for (const draft of [
    draftOf({ fields: [field], each: '.card' }),
    draftOf({ source: 'sitemap' }),
    draftOf({ source: 'urls', urls: 'https://shop.example/a' }),
  ]) {
    const { cli, curl, typescript } = snippetsOf(draft, service.url)
    assert.deepEqual(bodyIn(cli), bodyIn(curl))
    const { status, text } = await service.ask('/jobs', { body: bodyIn(curl) })
    assert.equal(status, 202, text)
    assert.match(typescript, /client\.jobs\.create\(\{/)
  }
  const scheduled = snippetsOf(draftOf({ cron: '30 2 * * *' }), service.url)
  assert.match(scheduled.cli, /kscrape schedules create - --server/)
  assert.equal((await service.ask('/schedules', { body: bodyIn(scheduled.curl) })).status, 201)
})

const row = (taskId: string, data: Record<string, unknown>) =>
  ({ taskId, itemId: taskId, url: `https://a.example/${taskId}`, data }) as unknown as Row

test('records are sorted by number, amount or text, with missing values last', () => {
  const rows = [
    row('a', { price: { amount: 20, currency: 'EUR' }, name: 'b' }),
    row('b', { price: null, name: 'A 10' }),
    row('c', { price: { amount: 3, currency: 'EUR' }, name: 'A 9' }),
  ]
  const order = (sorting: Sorting | null) => sorted(rows, sorting).map(({ taskId }) => taskId)
  assert.deepEqual(order(null), ['a', 'b', 'c'])
  assert.deepEqual(order({ field: 'price', isDown: false }), ['c', 'a', 'b'])
  assert.deepEqual(order({ field: 'price', isDown: true }), ['a', 'c', 'b'])
  assert.deepEqual(order({ field: 'name', isDown: false }), ['c', 'b', 'a'])
})

test('the current view is saved as a CSV in which no spreadsheet runs a formula', () => {
  const csv = csvOf(
    ['name', 'stock'],
    [row('a', { name: '=cmd()', stock: -3 }), row('b', { name: 'x, "y"' })],
  )
  assert.deepEqual(csv.split('\r\n'), [
    'url,name,stock',
    "https://a.example/a,'=cmd(),-3",
    'https://a.example/b,"x, ""y""",',
  ])
})

test('counted nouns have the correct plural', () => {
  assert.deepEqual(
    [several(1, 'proxy'), several(3, 'proxy'), several(2, 'day'), several(0, 'job')],
    ['1 proxy', '3 proxies', '2 days', '0 jobs'],
  )
})

test('long URLs are shortened in the middle', () => {
  const long = `https://www.shop.example/products/${'x'.repeat(60)}/lamp-42`
  assert.deepEqual(urlParts('https://www.shop.example/a/'), ['shop.example/a', ''])
  const [head, tail] = urlParts(long)
  assert.equal(head + tail, long.slice('https://www.'.length))
  assert.match(tail, /lamp-42$/)
  assert.ok(tail.length < 20)
})

test('a search result shows the name and text of a record, not its URL and status', () => {
  const url = 'https://a.example/'
  assert.equal(
    headlineOf({ url, status: 200, page_kind: 'other', title: 'Lamps', text: 'Warm light' }),
    'Lamps · Warm light',
  )
  assert.equal(headlineOf({ url, _page: { status: 200 } }), url)
  assert.equal(headlineOf({}), 'a record')
})

test('the time axis of a chart shows seconds only if its marks are closer than a minute', () => {
  const at = Date.parse('2026-03-02T06:00:00') / 1_000
  assert.match(markOf(at, undefined, 10), /6:00:00/)
  assert.doesNotMatch(markOf(at, at - 300, 300), /:00:00/)
  assert.match(markOf(at, at - 300, 300), /6:00/)
  assert.match(markOf(at, at - 43_200, 43_200), /2/)
  assert.doesNotMatch(markOf(at, at - 43_200, 43_200), /:/)
  assert.doesNotMatch(markOf(at, undefined, 86_400), /:/)
})

test('a cron expression is described in words, and presets create cron expressions', () => {
  assert.equal(cronWords(presets.weekdays!.cron('07:00')), 'every weekday at 7:00')
  assert.equal(cronWords('30 2 * * *'), 'every day at 2:30')
  assert.equal(cronWords('0 * * * *'), 'every hour')
  assert.equal(cronWords('*/15 * * * *'), 'every 15 minutes')
  assert.equal(cronWords('5 8 * * 0'), 'every Sunday at 8:05')
  assert.equal(cronWords('0 6 1 * *'), 'on day 1 of every month at 6:00')
  for (const odd of ['', '0 6 1 1 *', '0 6-8 * * *', 'x']) assert.equal(cronWords(odd), null, odd)
})

test('the runs of one schedule share one line, at the position of the newest run', () => {
  const listed = [
    ['c', 's'],
    ['hand', null],
    ['b', 's'],
    ['a', 's'],
  ].map(([jobId, scheduleId]) => ({ jobId, scheduleId }) as JobSummary)
  assert.deepEqual(
    grouped(listed).map(({ jobId, runs }) => [jobId, runs?.map(run => run.jobId)]),
    [
      ['c', ['c', 'b', 'a']],
      ['hand', undefined],
    ],
  )
})
