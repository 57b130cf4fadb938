// Tests every page of the dashboard in a real browser, used as a person would, on a running service.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import type { BrowserContext, Locator, Page, Request } from 'playwright-core'
import { clusterSet } from '../support/cluster-set.ts'
import { openCutLine } from '../support/cut-line.ts'
import { type ShownDashboard, settled, showDashboard } from '../support/dashboard.ts'
import { operatorKey } from '../support/service.ts'
import { WebhookReceiver } from '../support/webhook-receiver.ts'

/** True if the same tests run on a cluster (test/dashboard/on-cluster.nightly.test.ts). */
const onCluster = clusterSet() !== null
let shown: ShownDashboard
let receiver: WebhookReceiver
let context: BrowserContext
let page: Page
/** Every request that the pages of this file sent. */
const asked: Request[] = []

before(async () => {
  receiver = await WebhookReceiver.open()
  shown = await showDashboard({ settings: { allowPrivate: [receiver.place], rate: 'unlimited' } })
  const signedIn = await shown.signedIn({
    context: { acceptDownloads: true, timezoneId: 'America/New_York', locale: 'en-US' },
  })
  context = signedIn.context
  page = signedIn.page
  page.on('request', request => asked.push(request))
})

after(async () => {
  await shown[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

const go = (place: string): Promise<unknown> => page.goto(`${shown.service.url}/#/${place}`)
const button = (name: string | RegExp): Locator => page.getByRole('button', { name })
const sees = (text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor()
const at = (path: string): string => `${shown.site.url}${path}`

test('an unknown key is refused with a message, and a valid key is stored for the tab only', async () => {
  const other = await shown.browser.newContext()
  const fresh = await other.newPage()
  await fresh.goto(shown.service.url)
  await fresh.getByLabel('API key').fill('not-a-key-of-this-service')
  await fresh.getByRole('button', { name: 'Sign in' }).click()
  await fresh.getByRole('alert').getByText('the key is unknown').waitFor()
  await fresh.getByLabel('API key').fill(operatorKey)
  await fresh.keyboard.press('Enter')
  await fresh.getByRole('heading', { name: 'Home' }).waitFor()
  await fresh.reload()
  await fresh.getByRole('heading', { name: 'Home' }).waitFor()
  const second = await other.newPage()
  await second.goto(shown.service.url)
  await second.getByLabel('API key').waitFor()
  await other.close()
})

test('a crawl is submitted from the form and followed until it has ended, without a reload', async () => {
  await go('jobs')
  await sees('No jobs yet')
  await page.getByRole('link', { name: 'Create the first job' }).click()
  await page.getByLabel('Address').fill(at('/'))
  await page.getByLabel('Job id').fill('from-the-form')
  await page.getByLabel('Pages at most').fill('12')
  await page.getByLabel('Only URLs like').fill('/products/**')
  await page.getByLabel('Webhook').fill(receiver.url)
  await sees('kscrape jobs create')
  await button('Start the job').click()
  await page.getByRole('heading', { name: 'from-the-form' }).waitFor()
  await page.getByText('Completed', { exact: true }).first().waitFor()
  await page.getByRole('tab', { name: /Records · 1[12]/ }).waitFor()
  await page.locator('.chart canvas').first().waitFor()
})

test('the records page is a table with selectable columns, and its CSV equals that of the API', async () => {
  await page.getByRole('tab', { name: /Records/ }).click()
  await page.locator('.list-row').nth(5).waitFor()
  await button('Columns').click()
  await page.getByRole('checkbox', { name: 'description' }).uncheck()
  await page.getByRole('columnheader', { name: 'description' }).waitFor({ state: 'detached' })
  const [download] = await Promise.all([page.waitForEvent('download'), button('CSV').click()])
  assert.equal(download.suggestedFilename(), 'from-the-form.csv')
  const saved = await readFile(await download.path(), 'utf8')
  const { text } = await shown.service.ask('/jobs/from-the-form/export?format=csv')
  assert.equal(saved, text)
  assert.ok(saved.split('\n').length > 10)
  const [parquet] = await Promise.all([page.waitForEvent('download'), button('Parquet').click()])
  assert.equal((await readFile(await parquet.path())).subarray(0, 4).toString(), 'PAR1')
})

test('a task page shows attempts, headers, the source of the page, and where each field came from', async () => {
  await page.locator('.list-row').nth(3).getByRole('link').first().click()
  await sees('Attempt 1')
  const times = await page.getByRole('list', { name: 'Time of each phase of attempt 1' }).textContent()
  assert.match(times ?? '', /queued.*fetch.*extract.*store/)
  await page.getByText('Response headers').waitFor()
  await sees('user-agent')
  await sees('accept-encoding')
  await page.getByRole('tab', { name: 'HTML' }).click()
  await sees('<!doctype html>')
  await page.getByRole('columnheader', { name: 'Where from' }).waitFor()
})

test('a user builds an extraction rule by clicking in the page, tests it at once, and runs it', async () => {
  await go('new')
  await page.getByLabel('Address').fill(at('/products/umber-floor-lamp-1'))
  await button('Load page').click()
  const frame = page.frameLocator('iframe')
  await frame.locator('h1').click()
  await sees('= Umber Floor Lamp 1')
  await frame.locator('.price').click()
  await sees(/= 27[.,]95 EUR/)
  for (const tab of ['Text', 'Markdown', 'HTML']) {
    await page.getByRole('tab', { name: tab, exact: true }).click()
    await page
      .getByRole('region', { name: tab, exact: true })
      .getByText('Umber Floor Lamp 1')
      .first()
      .waitFor()
  }
  await button('This page').click()
  await page.getByLabel('Job id').fill('by-clicking')
  await button('Start the job').click()
  await page.getByText('Completed', { exact: true }).first().waitFor()
  const { body } = await shown.service.ask<{ items: Array<{ data: unknown }> }>(
    '/jobs/by-clicking/results?status=success',
  )
  assert.deepEqual(body.items[0]?.data, {
    title: 'Umber Floor Lamp 1',
    price: { amount: 27.95, currency: 'EUR' },
  })
})

test('a plan estimates a job before it starts', async () => {
  await go('new')
  await page.getByLabel('Address').fill(at('/products/umber-floor-lamp-1'))
  await button('This page').click()
  await button('Plan').click()
  const dialog = page.getByRole('dialog', { name: 'Plan' })
  await dialog.getByText('1 page, 100 % fine').waitFor()
  await dialog.getByText(`127.0.0.1:${shown.site.port}`, { exact: true }).waitFor()
  assert.match((await dialog.locator('.stat').allTextContents()).join(' '), /Pages1.*Time.*Data[\d.,]+ KB/)
  const { body } = await shown.service.ask<{ jobs: Array<{ job_id: string; labels: object }> }>('/jobs')
  assert.ok(!body.jobs.some(({ labels }) => 'purpose' in labels && labels.purpose === 'plan'))
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.getByLabel('Job id').fill('as-planned')
  await button('Plan').click()
  await dialog.getByRole('button', { name: 'Start the job' }).click()
  await page.getByRole('heading', { name: 'as-planned' }).waitFor()
})

test('a page is previewed with a browser, with a screenshot', async () => {
  await go('new')
  await page.getByLabel('Address').fill(at('/spa/'))
  await button('Load page').click()
  await page.getByRole('tab', { name: 'Screenshot' }).click()
  await button('Load with a browser').click()
  const picture = page.getByRole('img', { name: /Screenshot of/ })
  await picture.waitFor()
  assert.ok(await picture.evaluate(image => (image as HTMLImageElement).naturalWidth > 300))
  await go('workers')
  await sees('serving')
  // In a cluster, workers run the browsers.
  if (onCluster)
    await page
      .locator('td', { hasText: 'cdp' })
      .getByText(/browser-worker/)
      .waitFor()
})

test('a job is paused and resumed, and its state updates by itself', async () => {
  const urls = Array.from({ length: 24 }, (_, n) => at(`/?n=${n}`))
  const pace = `/hosts/127.0.0.1:${shown.site.port}/policy`
  // The job must not end before the test presses Pause.
  await shown.service.ask(pace, { method: 'PUT', body: { rate: 0.2 } })
  await shown.service.submit({ job_id: 'steered', urls, policy: { host: { rate: 4 } } })
  await go('jobs/steered')
  await button('Pause').click()
  await page.getByText('Paused', { exact: true }).first().waitFor()
  await shown.service.ask(pace, { method: 'DELETE' })
  await button('Resume').click()
  await page.getByText('Completed', { exact: true }).first().waitFor()
  await page.getByText('24 of 24').first().waitFor()
})

test('the page of a job that stopped at a limit names the limit, and the job continues when the limit is raised', async () => {
  const urls = Array.from({ length: 8 }, (_, n) => at(`/?limited=${n}`))
  const policy = { limits: { pages: 3 }, host: { rate: 'unlimited' } }
  await shown.service.submit({ job_id: 'limited', urls, policy })
  await go('jobs/limited')
  await page.getByText('Paused: page limit').first().waitFor()
  await button('Raise limit').click()
  const dialog = page.getByRole('dialog', { name: 'Raise the limit' })
  await dialog.getByText('3 used').waitFor()
  await dialog.getByLabel('Pages', { exact: true }).fill('2')
  await dialog.getByRole('button', { name: 'Raise' }).click()
  await page.locator('.toast.bad').waitFor()
  await dialog.getByLabel('Pages', { exact: true }).fill('20')
  await dialog.getByRole('button', { name: 'Raise' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('Completed', { exact: true }).first().waitFor()
  await page.getByText('8 of 8').first().waitFor()
})

test('after a lost connection the list of jobs recovers by itself, with all changes', async () => {
  await using line = await openCutLine(shown.service.url)
  const far = await shown.signedIn({ url: line.url })
  const row = (name: string) => far.page.locator('.list-row', { hasText: name })
  await far.page.goto(`${line.url}/#/jobs`)
  await far.page.getByText('Live:').waitFor()
  const job = (job_id: string) => shown.service.submit({ job_id, urls: [at(`/?job=${job_id}`)] })
  await job('before-the-cut')
  await row('before-the-cut').getByText('Completed').waitFor()
  line.cut()
  await far.page.getByText('The connection was lost').waitFor()
  await job('while-it-was-cut')
  await shown.service.ended('while-it-was-cut')
  const opened = line.opened
  line.mend()
  await row('while-it-was-cut').getByText('Completed').waitFor()
  await far.page.getByText('Live:').waitFor()
  assert.ok(line.opened > opened)
  await job('after-the-cut')
  await row('after-the-cut').getByText('Completed').waitFor()
  line.cut()
  await far.page.getByRole('link', { name: 'Workers' }).click()
  await far.page.getByText('This page could not be shown').waitFor()
  line.mend()
  await far.page.getByRole('button', { name: 'Load it again' }).click()
  await far.page.getByRole('heading', { name: 'Workers and browsers' }).waitFor()
  await far.context.close()
})

test('a job that ends while the list loads is listed once, with its final state', async () => {
  const far = await shown.signedIn()
  await far.page.goto(`${shown.service.url}/#/jobs`)
  await far.page.getByRole('link', { name: 'from-the-form' }).waitFor()
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const job_id = 'meanwhile'
  await far.page.route(/\/jobs\?/, async route => {
    const response = await route.fetch()
    resolve(shown.service.ended(job_id).then(() => {}))
    await ended
    await route.fulfill({ response })
  })
  const urls = [1, 2, 3].map(n => at(`/?meanwhile=${n}`))
  await shown.service.submit({ job_id, urls, policy: { host: { rate: 2 } } })
  await far.page.reload()
  await far.page.getByRole('link', { name: 'from-the-form' }).waitFor()
  const row = far.page.locator('.list-row', { hasText: job_id })
  await row.getByText('Completed').waitFor()
  assert.equal(await row.count(), 1)
  await far.context.close()
})

test('an unknown page of the dashboard says that it does not exist, with a link back', async () => {
  for (const [place, way] of [
    ['jobs/no-such-job', 'Jobs'],
    ['jobs/from-the-form/items/no-such-task', 'from-the-form'],
    ['schedules/none', 'Schedules'],
    ['monitors/none', 'Monitors'],
  ] as const) {
    await go(place)
    await page
      .getByRole('alert')
      .getByText(/there is no|has no/)
      .waitFor()
    await page.locator('.crumbs').getByRole('link', { name: way }).waitFor()
  }
  await go('no/such/page')
  await page.getByRole('link', { name: 'All jobs' }).click()
  await page.getByRole('heading', { name: 'Jobs' }).waitFor()
})

test('if the breaker of a job pauses it, the list shows this at once, and the page of the host shows the error', async () => {
  await go('jobs')
  await sees('steered')
  const urls = Array.from({ length: 40 }, (_, n) => at(`/status/503?n=${n}`))
  const policy = { retries: { attempts: 0 }, breaker: { consecutive: 3 } }
  await shown.service.submit({ job_id: 'tripping', urls, policy })
  await page
    .locator('.list-row', { hasText: 'tripping' })
    .getByText(/breaker/)
    .waitFor()
  await go(`hosts/127.0.0.1:${shown.site.port}`)
  await sees('host.unavailable')
  await shown.service.ask('/jobs/tripping/cancel', { method: 'POST' })
})

test('a host is paused with a reason and resumed', async () => {
  await go('hosts')
  await page.getByRole('link', { name: `127.0.0.1:${shown.site.port}` }).click()
  await button('Pause').click()
  await page.getByLabel('Why').fill('they asked us to wait')
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click()
  await sees(/until it is resumed: they asked us to wait/)
  await button('Resume').click()
  await button('Pause').waitFor()
})

test('a webhook is replayed, and its log shows every attempt', async () => {
  await receiver.has(1)
  await go('webhooks')
  const row = page.locator('.list-row', { hasText: receiver.url })
  await row.getByText('delivered').waitFor()
  await row.getByRole('button', { name: /Replay/ }).click()
  await receiver.has(2)
  await row.getByText('delivered').waitFor()
  await row.getByRole('button', { name: receiver.url }).click()
  await page.getByRole('dialog').locator('tbody tr').nth(1).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('a host is added to the do-not-crawl list and removed', async () => {
  await go('do-not-crawl')
  await sees('The lists are empty')
  await page.getByLabel('Place').fill('*.quiet.example')
  await button('Enter').click()
  await sees('*.quiet.example')
  await button('Remove *.quiet.example from the list').click()
  await button('Remove it').click()
  await sees('The lists are empty')
})

test('a schedule created in the form shows its next runs in the reader’s time zone, can be run by hand, and compares runs', async () => {
  await go('new')
  await page.getByLabel('Address').fill(at('/recovers?times=9&status=200'))
  await button('This page').click()
  await page.getByLabel('Schedule (cron)').fill('30 2 * * *')
  await page.getByLabel('Time zone').fill('Europe/Berlin')
  await page.getByLabel('Name of the schedule').fill('Every night')
  await button('Create the schedule').click()
  await page.getByRole('heading', { name: 'Every night' }).waitFor()
  await sees(/[89]:30\sPM E[SD]T/)
  for (const runs of [1, 2]) {
    await button('Run now').click()
    await page
      .locator('.list-row')
      .nth(runs - 1)
      .waitFor()
    const { jobs } = (
      await shown.service.ask<{ jobs: Array<{ job_id: string; schedule_id: string | null }> }>('/jobs')
    ).body
    for (const { job_id } of jobs.filter(({ schedule_id }) => schedule_id)) await shown.service.ended(job_id)
  }
  // The list of runs updates without a reload when their jobs end.
  await page
    .locator('.list-row', { hasText: /Completed.*1 of 1 task, 1 record/s })
    .nth(1)
    .waitFor()
  await page.reload()
  await page.locator('ins').first().waitFor()
  await sees(/Visit 2/)
})

test('a monitor created in the form shows as text what changed between two checks', async () => {
  await go('monitors')
  await sees('No monitors yet')
  await button('New monitor').click()
  const urls = ['anchor', 'buoy', 'dinghy', 'echo'].map(name => at(`/changing/${name}`))
  await page.getByLabel('Addresses').fill(urls.join('\n'))
  await page.getByLabel('Name', { exact: true }).fill('Chandlery')
  await page.getByLabel('Schedule (cron)').fill('every hour')
  await button('Create the monitor').click()
  await page.getByRole('alert').getByText(/cron/).waitFor()
  await page.getByLabel('Schedule (cron)').fill('0 3 * * *')
  await page.getByLabel('Order of lines and lists').check()
  await button('Create the monitor').click()
  await page.getByRole('heading', { name: 'Chandlery' }).waitFor()
  await sees('No check has ended yet')
  await button('Run now').click()
  await sees('is the first')
  await fetch(at('/changing/edition'), { method: 'POST' })
  await button('Run now').click()
  const found = (path: string) => page.locator('.changes > li', { hasText: at(path) })
  await found('/changing/anchor').locator('ins', { hasText: '+It costs € 45.00.' }).waitFor()
  await found('/changing/echo').getByText('new', { exact: true }).waitFor()
  await found('/changing/dinghy').getByText('removed', { exact: true }).waitFor()
  assert.equal(await found('/changing/buoy').count(), 0)
  await sees('1 page unchanged')
  const feed = await fetch((await page.getByRole('link', { name: 'Atom' }).getAttribute('href'))!)
  assert.match(await feed.text(), /<feed/)
  await page.getByRole('link', { name: 'Monitors' }).first().click()
  await page.locator('.list-row', { hasText: 'Chandlery' }).getByText('1 removed').waitFor()
})

test('a monitor with rules shows the old and the new value of each changed field', async () => {
  const extract = { fields: { name: 'h1', price: { css: '.price', as: 'money' } } }
  const job = { urls: [at('/changing/anchor')], extract }
  await shown.service.ask('/monitors', {
    body: { monitor_id: 'prices', name: 'Prices', cron: '0 3 * * *', job },
  })
  for (const _look of [1, 2]) {
    const { body } = await shown.service.ask<{ job_id: string }>('/monitors/prices/run', { method: 'POST' })
    await shown.service.ended(body.job_id)
    await fetch(at('/changing/edition'), { method: 'POST' })
  }
  await go('monitors/prices')
  const change = page.locator('.changes .diff').filter({ has: page.locator('b', { hasText: 'price' }) })
  await change.locator('del', { hasText: '45 EUR' }).waitFor()
  await change.locator('ins', { hasText: '40 EUR' }).waitFor()
  assert.equal(await change.locator('b', { hasText: 'name' }).count(), 0)
  await shown.service.ask('/monitors/prices', { method: 'DELETE' })
})

test('/docs shows the API, with the routes of /fetch', async () => {
  const { page: docs, context } = await shown.signedIn()
  await docs.goto(`${shown.service.url}/docs#tag/fetch`)
  await docs.getByRole('heading', { name: 'K-Scrape Nexus', exact: true }).first().waitFor()
  await docs.getByText('/fetch/start').first().waitFor({ state: 'attached' })
  await context.close()
})

test('keys are created, shown once and revoked; with a read-only key, the dashboard has no button that changes data', async () => {
  await go('keys')
  await button('New key').click()
  await page.getByLabel('Name').fill('wall display')
  await page.getByLabel('May').selectOption('read')
  await button('Create the key').click()
  const key = (await page.locator('.key-shown code').textContent())!
  await page.getByRole('checkbox').check()
  await button('Done').click()
  const reader = await shown.signedIn({ key })
  const links = await reader.page.getByRole('navigation').getByRole('link').allTextContents()
  assert.deepEqual(links, [
    ...['Home', 'Jobs', 'Search', 'Schedules', 'Monitors', 'Webhooks', 'Scrapers', 'Browsers'],
    'API docs',
    'Guide',
  ])
  const { monitors } = (await shown.service.ask<{ monitors: Array<{ monitor_id: string }> }>('/monitors'))
    .body
  const [watched] = monitors
  assert.equal(monitors.length, 1)
  for (const [place, ready] of [
    ['jobs', 'from-the-form'],
    ['jobs/from-the-form', 'Outcomes by reason'],
    ['schedules', 'Every night'],
    ['monitors', 'Chandlery'],
    [`monitors/${watched!.monitor_id}`, 'Settings of the monitor'],
    ['webhooks', receiver.url],
    ['new', 'Your key can only read'],
  ] as const) {
    await reader.page.goto(`${shown.service.url}/#/${place}`)
    // The previous page may still be visible, and it loads nothing more. So the test first waits for text of the new page.
    await reader.page.getByText(ready).first().waitFor()
    await settled(reader.page)
    const forbidden = reader.page.getByRole('button', {
      name: /^(pause|resume|cancel|delete|retry .*|raise .*|replay.*|run now|start .*|new .*)$/i,
    })
    assert.equal(await forbidden.count(), 0, place)
    assert.equal(await reader.page.getByRole('link', { name: /new (job|schedule)/i }).count(), 0, place)
  }
  await reader.page.goto(`${shown.service.url}/#/jobs/from-the-form`)
  await reader.page.getByRole('heading', { name: 'from-the-form' }).waitFor()
  await button('Revoke wall display').click()
  await button('Revoke it').click()
  await sees('revoked')
  await reader.page.getByRole('tab', { name: /Tasks/ }).click()
  await reader.page
    .getByRole('alert')
    .getByText(/revoked/)
    .waitFor()
  await reader.context.close()
})

test('a monitor is deleted after a confirmation', async () => {
  await go('monitors')
  await page.getByRole('link', { name: 'Chandlery' }).click()
  await button('Delete').click()
  await button('Delete it').click()
  await sees('No monitors yet')
})

test('workers, browsers and settings are shown, without a secret', async () => {
  await go('workers')
  const roles = onCluster ? ['coordinator', 'http-worker', 'browser-worker', 'processor'] : ['all-in-one']
  for (const role of roles) await page.locator('.tag', { hasText: role }).first().waitFor()
  await go('settings')
  await sees('SCRAPER_DATA_DIR')
  assert.ok(!(await page.content()).includes(operatorKey))
})

test('a job is found by a word, and deleted only after a confirmation', async () => {
  await go('jobs')
  await page.getByLabel('Find jobs').fill('tripping')
  await page.getByRole('link', { name: 'from-the-form' }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'tripping' }).click()
  await button('Delete').click()
  await button('Go back').click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await button('Delete').click()
  await button('Delete it').click()
  await page.getByRole('heading', { name: 'Jobs' }).waitFor()
  await page
    .getByText('No job matches')
    .or(page.getByRole('link', { name: 'steered' }))
    .first()
    .waitFor()
})

test('the controls of the dashboard can be reached with the keyboard', async () => {
  await go('jobs')
  await sees('steered')
  await page.keyboard.press('Tab')
  const names = new Set<string>()
  for (let presses = 0; presses < 80; presses += 1) {
    names.add(await page.evaluate(() => document.activeElement?.textContent?.trim().slice(0, 40) ?? ''))
    await page.keyboard.press('Tab')
  }
  for (const name of ['Jobs', 'New job', 'Settings', 'steered', 'Running'])
    assert.ok(names.has(name), `${name} in ${[...names]}`)
  await go('jobs/from-the-form')
  await page.getByRole('tab', { name: 'Overview' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.getByRole('tab', { name: /Tasks/, selected: true }).waitFor()
})

test('the dashboard requests no other host, has the key in no URL, and requests nothing twice within two seconds', async () => {
  assert.ok(asked.length > 100)
  for (const url of asked.map(request => request.url())) {
    assert.ok(url.startsWith(shown.service.url) || url.startsWith('blob:'), url)
    assert.ok(!url.includes(operatorKey), url)
  }
  assert.ok(!JSON.stringify(shown.service.logged).includes(operatorKey))
  assert.deepEqual(await polled(), [])
  await context.close()
})

/** URLs that an idle page requests twice within two seconds. The page is observed for longer than any polling interval. */
async function polled(): Promise<string[]> {
  await shown.service.submit({
    job_id: 'watched',
    urls: Array.from({ length: 40 }, (_, n) => at(`/?w=${n}`)),
    policy: { host: { rate: 3 } },
  })
  await go('jobs/watched')
  await sees('Pace now')
  const since = asked.length
  await page.getByText('Completed', { exact: true }).first().waitFor()
  const byUrl = Map.groupBy(asked.slice(since), request => request.url())
  // The last request reads the final state, so it does not count.
  return [...byUrl].flatMap(([url, requests]) => (isTooOften(requests.slice(0, -1)) ? [url] : []))
}

/** On a busy machine one request may be late and the next one on time. Over several requests such delays balance. */
const lateMs = 500

/** Uses the browser's times, because events may arrive late in this process. */
function isTooOften(requests: Request[]): boolean {
  const times = requests.map(request => request.timing().startTime)
  return times.some((first, index) =>
    times.slice(index + 1).some((at, between) => at - first < (between + 1) * 2_000 - lateMs),
  )
}
