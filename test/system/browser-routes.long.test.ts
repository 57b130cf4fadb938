// Tests the routes for browsers: the list, the live view, control by a user, and the routes of Browserless and Steel.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { BrowserService, playwright } from '../support/browser-clients.ts'
import { eventually, found } from '../support/eventually.ts'
import { operatorKey } from '../support/service.ts'

let browsers: BrowserService
before(async () => {
  browsers = await BrowserService.open({
    '/': '<title>Home</title><h1 class="big">Home</h1><input id="name" style="position:absolute;left:0;top:0;width:200px;height:40px"><script>console.log("hello");localStorage.setItem("kept","yes")</script>',
    '/login':
      '<title>Login</title><button id="go">go</button><script>document.cookie="login=ada;max-age=3600"</script>',
    '/locked':
      '<title>Locked</title><input id="code" style="position:absolute;left:0;top:0;width:200px;height:40px"><script>document.querySelector("#code").oninput = event => { if (event.target.value === "1234") document.body.insertAdjacentHTML("beforeend", "<h1 id=open>Open</h1>") }</script>',
  })
})
after(() => browsers?.[Symbol.asyncDispose]())
const at = (path: string): string => `${browsers.site.url}${path}`

interface Seat {
  browser_id: string
  kind: string
  step: string | null
  url: string
  job_id: string
  paused: boolean
}

const seats = async (): Promise<Seat[]> =>
  (await browsers.service.ask<{ browsers: Seat[] }>('/browsers')).body.browsers
const seatAt = (path: string) =>
  found('the seat is listed', async () => (await seats()).find(({ url }) => url === at(path)))

test('a client lists, views, controls, resumes, saves and ends a browser', async () => {
  const browser = await playwright().connectOverCDP(browsers.endpoint())
  const page = await browser.contexts()[0]!.newPage()
  await page.goto(at('/'))
  const seat = await seatAt('/')
  const ask = (path: string, body?: unknown) =>
    browsers.service.ask(`/browsers/${seat.browser_id}${path}`, body === undefined ? {} : { body })
  assert.equal(seat.kind, 'connection')
  const { body: view } = await ask('/view?scale=0.5')
  assert.deepEqual(
    [view.title, view.url, view.paused, view.console],
    ['Home', at('/'), false, ['log: hello']],
  )
  assert.equal(Buffer.from(String(view.image), 'base64').subarray(0, 2).toString('hex'), 'ffd8')
  assert.equal((await ask('/input', { type: 'text', text: 'x' })).status, 409, 'input needs a paused page')
  await ask('/pause', {})
  const waiting = page.inputValue('#name')
  await ask('/input', { type: 'click', x: 20, y: 20 })
  await ask('/input', { type: 'text', text: 'Ada' })
  await ask('/input', { type: 'key', key: 'Backspace' })
  await ask('/resume', {})
  assert.equal(await waiting, 'Ad', 'the client continues with what a person typed')
  await page.goto(at('/login'))
  const saved = await ask('/session', { name: 'by-hand' })
  assert.deepEqual([saved.status, saved.body.session], [200, 'by-hand'])
  const reader = await browsers.service.key({ scopes: ['read', 'submit'] })
  const refused = await browsers.service.ask(`/browsers/${seat.browser_id}/view`, { key: reader })
  assert.equal(refused.status, 403)
  assert.match(refused.text, /live_view/)
  const closed = new Promise(resolve => browser.once('disconnected', resolve))
  assert.equal((await browsers.service.ask(`/browsers/${seat.browser_id}`, { method: 'DELETE' })).status, 200)
  await closed
  await eventually('the browser is no longer listed', async () => (await seats()).length === 0)
})

test('a connection can start with a saved login, and a browser of another workspace is not found', async () => {
  const browser = await playwright().connectOverCDP(browsers.endpoint('/cdp', { session: 'by-hand' }))
  const page = await browser.contexts()[0]!.newPage()
  await page.goto(at('/'))
  assert.match(await page.evaluate('document.cookie'), /login=ada/)
  const seat = await seatAt('/')
  const stranger = await browsers.service.key({ workspace: 'other', scopes: ['submit', 'live_view'] })
  const { body } = await browsers.service.ask<{ browsers: Seat[] }>('/browsers', { key: stranger })
  assert.deepEqual(body.browsers, [])
  const looked = await browsers.service.ask(`/browsers/${seat.browser_id}/view`, { key: stranger })
  assert.equal(looked.status, 404)
  await browser.close()
})

test('the Browserless routes return HTML, pictures, PDFs and elements; /function is refused, and the response says why', async () => {
  const ask = (path: string, body: object) =>
    browsers.service.ask(`${path}?token=${operatorKey}`, { body, key: null })
  const post = (path: string, body: object) =>
    fetch(`${browsers.service.url}${path}?token=${operatorKey}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const content = await post('/chromium/content', {
    url: at('/'),
    gotoOptions: { waitUntil: 'networkidle2' },
  })
  assert.match(content.headers.get('content-type') ?? '', /text\/html/)
  assert.match(await content.text(), /<h1 class="big">Home<\/h1>/)
  const picture = await post('/screenshot', { url: at('/'), options: { fullPage: true } })
  assert.equal(picture.headers.get('content-type'), 'image/png')
  assert.equal(
    Buffer.from(await picture.arrayBuffer())
      .subarray(1, 4)
      .toString(),
    'PNG',
  )
  const pdf = await post('/pdf', { url: at('/') })
  assert.equal(
    Buffer.from(await pdf.arrayBuffer())
      .subarray(0, 5)
      .toString(),
    '%PDF-',
  )
  const scraped = await ask('/scrape', {
    url: at('/'),
    elements: [{ selector: 'h1' }, { selector: '.none', timeout: 0 }],
  })
  const [heading, none] = scraped.body.data as Array<{ results: Array<Record<string, unknown>> }>
  assert.deepEqual(
    [heading?.results[0]?.text, heading?.results[0]?.attributes],
    ['Home', [{ name: 'class', value: 'big' }]],
  )
  assert.deepEqual(none?.results, [])
  const refused = await ask('/function', { code: 'export default () => 1' })
  assert.equal(refused.status, 403)
  assert.match(refused.text, /connectOverCDP/)
  const unknown = await ask('/content', { url: at('/'), html: '<p>' })
  assert.equal(unknown.status, 422)
  assert.match(unknown.text, /html/)
})

test('a Steel session has an address to connect to, and stays live until its client releases it', async () => {
  const key = { key: null, headers: { 'steel-api-key': operatorKey } }
  const created = await browsers.service.ask('/v1/sessions', { ...key, body: { timeout: 60_000 } })
  assert.deepEqual([created.status, created.body.status], [200, 'idle'])
  const url = `${created.body.websocketUrl}&apiKey=${operatorKey}`
  const browser = await playwright().connectOverCDP(url)
  const live = await browsers.service.ask(`/v1/sessions/${created.body.id}`, key)
  assert.deepEqual([live.status, live.body.status, live.body.timeout], [200, 'live', 60_000])
  const closed = new Promise(resolve => browser.once('disconnected', resolve))
  const released = await browsers.service.ask(`/v1/sessions/${created.body.id}/release`, {
    ...key,
    method: 'POST',
  })
  assert.equal(released.body.success, true)
  await closed
  assert.equal((await browsers.service.ask(`/v1/sessions/${created.body.id}`, key)).status, 404)
  const other = await playwright().connectOverCDP(browsers.endpoint())
  const othersEnd = new Promise(resolve => other.once('disconnected', resolve))
  const all = await browsers.service.ask('/v1/sessions/release', { ...key, method: 'POST' })
  assert.equal(all.body.success, true)
  await othersEnd
})

test('a person can control the page of a task, and then the task continues with the page as it is', async () => {
  const jobId = await browsers.service.submit({
    urls: [at('/locked')],
    actions: [
      { type: 'wait', selector: '#open', timeout_ms: 100_000 },
      { type: 'click', selector: '#open' },
    ],
    policy: { browser: { task_ms: 110_000 } },
  })
  const seat = await found('the step of the task is listed', async () =>
    (await seats()).find(({ url, step }) => url === at('/locked') && step === 'actions[0] wait'),
  )
  assert.deepEqual([seat.kind, seat.job_id], ['task', jobId])
  const ask = (path: string, body: unknown) =>
    browsers.service.ask(`/browsers/${seat.browser_id}${path}`, { body })
  assert.equal((await ask('/pause', {})).status, 200)
  const { body: view } = await browsers.service.ask(`/browsers/${seat.browser_id}/view`)
  assert.deepEqual([view.title, view.paused], ['Locked', true])
  await ask('/input', { type: 'click', x: 20, y: 20 })
  await ask('/input', { type: 'text', text: '1234' })
  const ended = await browsers.service.ask(`/browsers/${seat.browser_id}`, { method: 'DELETE' })
  assert.equal(ended.status, 409, 'a task ends with its job')
  await ask('/resume', {})
  assert.equal((await browsers.service.ended(jobId)).status, 'completed')
})

test('if a step of a task fails, the screenshots of all earlier steps are stored', async () => {
  const jobId = await browsers.service.submit({
    urls: [at('/login')],
    actions: [
      { type: 'click', selector: '#go' },
      { type: 'wait', selector: '#never', timeout_ms: 200 },
    ],
    policy: { retries: { attempts: 0 } },
  })
  await browsers.service.ended(jobId)
  const { body } = await browsers.service.ask(`/jobs/${jobId}/items/task-1`)
  assert.equal(body.reason, 'action.failed')
  assert.ok((body.artifacts as string[]).includes('failed-1-step-1'), String(body.artifacts))
  const picture = await fetch(
    `${browsers.service.url}/jobs/${jobId}/items/task-1/download?artifact=failed-1-step-1`,
    {
      headers: { authorization: `Bearer ${operatorKey}` },
    },
  )
  assert.equal(picture.headers.get('content-type'), 'image/jpeg')
})
