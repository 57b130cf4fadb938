// npm run pictures [-- WORD]: takes a screenshot of every page, light and dark, wide and narrow, into .pictures. Copies the main
// ones to docs/pictures.
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { type ShownDashboard, showDashboard } from '../test/support/dashboard.ts'
import { operatorKey } from '../test/support/service.ts'
import { WebhookReceiver } from '../test/support/webhook-receiver.ts'

const root = join(import.meta.dirname, '..')
const taken = join(root, '.pictures')
const kept = join(root, 'docs/pictures')
const chosen = process.argv[2]

const widths = { wide: { width: 1280, height: 800 }, narrow: { width: 390, height: 844 } }
const schemes = ['light', 'dark'] as const

interface Shot {
  name: string
  path: string
  /** Text that the page must show before the screenshot is taken. */
  ready: string
  before?: (page: Page) => Promise<void>
  /** The colours of the wide version that is copied to docs/. Unset if docs/ does not show this page. */
  docs?: 'light' | 'dark'
  /** Whether the screenshot is taken as a user of an empty workspace. */
  isNew?: boolean
}

async function main(): Promise<void> {
  await using receiver = await WebhookReceiver.open()
  await using shown = await showDashboard({
    settings: { allowPrivate: [receiver.place], lanes: 1 },
  })
  await Promise.all([taken, kept].map(folder => mkdir(folder, { recursive: true })))
  const made = await stage(shown, receiver)
  await using _driven = await drive(shown)
  const newKey = await shown.service.key({ name: 'new', scopes: ['submit'], workspace: 'new' })
  const shots = shotsOf(shown, made).filter(({ name }) => !chosen || name.includes(chosen))
  for (const [width, viewport] of Object.entries(widths))
    for (const colorScheme of schemes) {
      const { context, page } = await shown.signedIn({
        context: { viewport, colorScheme, deviceScaleFactor: 1 },
      })
      const kind = `${width}-${colorScheme}`
      for (const shot of shots.filter(({ isNew }) => !isNew)) await take(shown, page, shot, kind)
      const other = await shown.signedIn({ key: newKey, context: { viewport, colorScheme } })
      for (const shot of shots.filter(({ isNew }) => isNew)) await take(shown, other.page, shot, kind)
      await other.context.close()
      await signInShot(shown, page, `${width}-${colorScheme}`)
      await context.close()
    }
}

async function take({ service }: ShownDashboard, page: Page, shot: Shot, kind: string): Promise<void> {
  await page.goto(`${service.url}/#/jobs`)
  await page.goto(`${service.url}/#/${shot.path}`)
  try {
    await page.getByText(shot.ready).first().waitFor({ timeout: 20_000 })
    await shot.before?.(page)
  } catch (error) {
    console.error(`${shot.name} ${kind}: ${(error as Error).message.split('\n')[0]}`)
  }
  for (const trouble of await page.evaluate(troubles)) console.error(`${shot.name} ${kind}: ${trouble}`)
  // An element under the pointer looks different, so move the pointer away.
  await page.mouse.move(0, 0)
  const path = join(taken, `${shot.name}-${kind}.png`)
  await page.screenshot({ path, fullPage: kind.startsWith('narrow') })
  if (kind === `wide-${shot.docs}`) await copyFile(path, join(kept, `${shot.name}.png`))
}

/** Finds content that a reader cannot see, because it is wider than the window or cut without an ellipsis. */
function troubles(): string[] {
  const found: string[] = []
  const root = document.documentElement
  if (root.scrollWidth > innerWidth) found.push(`scrolls sideways: ${root.scrollWidth} px`)
  for (const element of document.querySelectorAll<HTMLElement>('main *, aside *')) {
    const { overflowX, textOverflow } = getComputedStyle(element)
    if (element.closest('.only-read')) continue
    const isCut = element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0
    if (isCut && overflowX === 'hidden' && textOverflow !== 'ellipsis')
      found.push(`cut: ${element.className || element.tagName} "${(element.textContent ?? '').slice(0, 60)}"`)
  }
  return found
}

async function signInShot({ service }: ShownDashboard, page: Page, kind: string): Promise<void> {
  if (chosen && !'sign-in'.includes(chosen)) return
  await page.evaluate(() => sessionStorage.clear())
  await page.goto(`${service.url}/?again`)
  await page.getByLabel('API key').waitFor()
  await page.screenshot({ path: join(taken, `sign-in-${kind}.png`) })
}

interface Made {
  crawl: string
  slow: string
}

/** Fills the service with data: succeeded and failed jobs, a running and a paused job, and a schedule with two runs. */
async function stage({ service, site }: ShownDashboard, receiver: WebhookReceiver): Promise<Made> {
  const { port } = site
  const url = `http://127.0.0.1:${port}`
  const fields = {
    name: 'h1',
    price: { css: '.price', as: 'money' },
    sku: '[itemprop=sku]',
    image: { css: 'main img', attr: 'src', as: 'url' },
  }
  const retries = { attempts: 2, base_ms: 1_500 }
  const fast = { policy: { host: { rate: 40, concurrency: 8 }, retries } }
  const troubled = ['/status/404', '/status/410', '/always-503', '/private/ledger', '/status/500'].map(
    path => url + path,
  )
  const crawl = await service.submit({
    ...{ job_id: 'catalogue-crawl', seed_urls: [`${url}/`, ...troubled], depth: 3, max_pages: 90, ...fast },
    ...{
      extract: { fields },
      labels: { team: 'prices' },
      webhook_url: receiver.url,
      include: ['/products/**', '/categories/**', '/'],
    },
  })
  await service.submit({
    ...{
      job_id: 'status-probe',
      ...fast,
      webhook_url: receiver.url,
      policy: { host: { rate: 40 }, retries: { attempts: 1, base_ms: 10 } },
    },
    urls: [
      '/',
      '/about',
      '/status/404',
      '/status/410',
      '/always-503',
      '/private/ledger',
      '/jobs',
      '/blog/',
      '/files/catalogue.pdf',
    ].map(path => url + path),
  })
  await Promise.all(['catalogue-crawl', 'status-probe'].map(id => service.ended(id)))
  const screenshot = { rendering: { screenshot: true }, render: true }
  await service.submit({ job_id: 'rendered-shop', urls: [`${url}/spa/`, `${url}/`], ...screenshot, ...fast })
  await service.ended('rendered-shop')
  await service.ask('/schedules', {
    body: {
      ...{
        schedule_id: 'nightly-prices',
        name: 'Prices, every night',
        cron: '30 2 * * *',
        time_zone: 'Europe/Berlin',
      },
      job: { urls: [`${url}/`, `${url}/recovers?times=5&status=200`, `${url}/about`], ...fast },
    },
  })
  for (const _run of [1, 2]) {
    const { body } = await service.ask<{ job_id: string }>('/schedules/nightly-prices/run', {
      method: 'POST',
    })
    await service.ended(body.job_id)
  }
  await watch({ service, site })
  await fill({ service, site })
  await service.key({
    name: 'price watcher',
    scopes: ['read', 'submit'],
    limits: { requests_per_minute: 600 },
  })
  await service.key({ name: 'wall display', scopes: ['read'], workspace: 'default' })
  await service.ask('/do-not-crawl', {
    body: { pattern: '*.quiet.example', reason: 'the owner asked by e-mail' },
  })
  await service.ask('/do-not-crawl', { body: { pattern: 'shop.example/private', reason: 'terms of use' } })
  await service.submit({
    ...{ job_id: 'first-hundred', urls: Array.from({ length: 100 }, (_, n) => `${url}/?limited=${n}`) },
    policy: { host: { rate: 40 }, limits: { pages: 5 } },
  })
  const slow = await service.submit({
    ...{
      job_id: 'slow-news',
      seed_urls: [`http://127.0.0.1:${port}/blog/`],
      max_pages: 200,
      depth: 3,
      labels: { team: 'news' },
    },
    policy: { host: { rate: 2 } },
  })
  await service.submit({
    job_id: 'archive-2025',
    urls: [1, 2, 3, 4].map(n => `${url}/?page=${n}`),
    policy: { host: { rate: 2 } },
  })
  await service.ask('/jobs/archive-2025/pause', { method: 'POST' })
  return { crawl, slow }
}

/** Creates an upload, a session, and a browser job whose second step fails. */
async function fill({ service, site: { url } }: Pick<ShownDashboard, 'service' | 'site'>): Promise<void> {
  const name = { file_name: 'products-2026-11.csv' }
  const { body: upload } = await service.ask<{ upload_id: string; upload_url: string }>('/uploads', {
    body: name,
  })
  await fetch(upload.upload_url, { method: 'PUT', body: `url;sku\n${url}/about;A-1\n${url}/jobs;A-2\n` })
  await service.ask('/uploads', { body: { file_name: 'not-sent.jsonl' } })
  const cookies = [{ name: 'sid', value: 'abc', domain: '.club.example', path: '/', expires: -1 }]
  await service.ask('/sessions/club-login', { method: 'PUT', body: { data: { cookies, origins: [] } } })
  await service.submit({
    ...{ job_id: 'login-steps', urls: [`${url}/`], render: true },
    actions: [{ type: 'scroll' }, { type: 'click', selector: '#no-such-button' }],
    policy: { retries: { attempts: 1, base_ms: 10 } },
  })
  await service.ended('login-steps')
}

/** A client that drives a browser of the service. */
async function drive({ service, site }: ShownDashboard): Promise<AsyncDisposable> {
  const driven = await chromium.connectOverCDP(
    `${service.url.replace('http', 'ws')}/cdp?token=${operatorKey}`,
  )
  const page = await driven.contexts()[0]!.newPage()
  // The timeout is long, because slow jobs of `stage` use the same host and its rate.
  await page.goto(`${site.url}/`, { timeout: 120_000 })
  return { [Symbol.asyncDispose]: () => driven.close() }
}

/** Checks pages twice. Some of them change between the two checks. */
async function watch({ service, site: { url } }: Pick<ShownDashboard, 'service' | 'site'>): Promise<void> {
  const job = { seed_urls: [`${url}/changing/`], depth: 1, sitemap: 'skip', policy: { host: { rate: 50 } } }
  const ignore = { noise: ['timestamps', 'ads', 'order', 'whitespace'], lines: ['visitors online'] }
  await service.ask('/monitors', {
    body: { monitor_id: 'chandlery', name: 'Chandlery', cron: '0 * * * *', job, ignore },
  })
  for (const _look of [1, 2]) {
    const { body } = await service.ask<{ job_id: string }>('/monitors/chandlery/run', { method: 'POST' })
    await service.ended(body.job_id)
    await fetch(`${url}/changing/edition`, { method: 'POST' })
  }
}

const shotsOf = ({ site }: ShownDashboard, { crawl, slow }: Made): Shot[] => [
  { name: 'home', path: '', ready: 'Where it fails', before: chartsDrawn },
  { name: 'search', path: 'search?q=lamp', ready: 'slow-news' },
  { name: 'uploads', path: 'uploads', ready: 'products-2026-11.csv' },
  { name: 'proxies', path: 'proxies', ready: 'No proxies' },
  { name: 'sessions', path: 'sessions', ready: 'club-login' },
  { name: 'browsers', path: 'browsers', ready: 'controlled by a client', before: pictureThere },
  { name: 'browser', path: 'browsers', ready: 'controlled by a client', before: openBrowser },
  { name: 'task-steps', path: 'jobs/login-steps/items/task-1', ready: 'Attempt 1' },
  ...['', 'jobs', 'search', 'schedules', 'monitors', 'webhooks', 'browsers', 'uploads', 'new'].map(path => ({
    ...{ name: `new-${path || 'home'}`, path, ready: titles[path]!, isNew: true },
  })),
  { name: 'scrapers', path: 'scrapers', ready: 'What it does' },
  { name: 'jobs', path: 'jobs', ready: 'catalogue-crawl', docs: 'light' },
  { name: 'jobs-none', path: 'jobs?show=cancelled', ready: 'No job matches' },
  { name: 'new-job-empty', path: 'new', ready: 'No page loaded yet' },
  {
    name: 'new-job',
    path: 'new',
    ready: 'The job as code',
    before: page => pickFields(page, site.url),
    docs: 'light',
  },
  {
    name: 'new-job-list',
    path: 'new',
    ready: 'The job as code',
    before: page => pickList(page, site.url),
  },
  {
    name: 'plan',
    path: 'new',
    ready: 'The job as code',
    before: page => plan(page, site.url),
    docs: 'light',
  },
  { name: 'job', path: `jobs/${crawl}`, ready: 'Outcomes by reason', before: chartsDrawn, docs: 'light' },
  { name: 'job-live', path: `jobs/${slow}`, ready: 'Outcomes by reason', before: chartsDrawn, docs: 'dark' },
  {
    name: 'raise-limit',
    path: 'jobs/first-hundred',
    ready: 'Paused: page limit',
    before: openLimits,
    docs: 'light',
  },
  { name: 'job-tasks', path: 'jobs/status-probe?tab=tasks', ready: 'Attempts' },
  {
    name: 'job-records',
    path: `jobs/${crawl}?tab=records`,
    ready: 'Parquet',
    before: rowsThere,
    docs: 'light',
  },
  { name: 'record', path: `jobs/${crawl}?tab=records`, ready: 'Parquet', before: openRecord },
  { name: 'job-hosts', path: `jobs/${crawl}?tab=hosts`, ready: 'Requests' },
  { name: 'job-conduct', path: `jobs/${crawl}?tab=conduct`, ready: 'Conduct receipt', docs: 'light' },
  { name: 'task', path: `jobs/${crawl}/items/task-20`, ready: 'Response headers', docs: 'light' },
  { name: 'task-failed', path: 'jobs/status-probe/items/task-5', ready: 'Attempt 1' },
  { name: 'hosts', path: 'hosts', ready: 'Last error' },
  { name: 'host', path: `hosts/127.0.0.1:${site.port}`, ready: 'Policy in force' },
  { name: 'do-not-crawl', path: 'do-not-crawl', ready: '*.quiet.example' },
  { name: 'schedules', path: 'schedules', ready: 'Prices, every night' },
  {
    name: 'schedule',
    path: 'schedules/nightly-prices',
    ready: 'What changed since the previous run',
    docs: 'light',
  },
  { name: 'monitors', path: 'monitors', ready: '3 changed' },
  {
    name: 'monitors-new',
    path: 'monitors',
    ready: '3 changed',
    before: page => page.getByRole('button', { name: 'New monitor' }).click(),
  },
  { name: 'monitor', path: 'monitors/chandlery', ready: 'It costs € 45', docs: 'light' },
  { name: 'webhooks', path: 'webhooks', ready: 'delivered' },
  { name: 'workers', path: 'workers', ready: 'all-in-one' },
  { name: 'keys', path: 'keys', ready: 'price watcher' },
  { name: 'settings', path: 'settings', ready: 'data_dir' },
]

const titles: Record<string, string> = {
  ...{
    '': 'No schedule is due',
    jobs: 'No jobs yet',
    search: 'No records yet',
    schedules: 'No schedules yet',
  },
  ...{
    monitors: 'No monitors yet',
    webhooks: 'No webhooks yet',
    browsers: 'No browser is in use',
    uploads: 'No uploads yet',
  },
  new: 'No page loaded yet',
}

async function pictureThere(page: Page): Promise<void> {
  await page.locator('.browser img.live').waitFor()
}

async function openBrowser(page: Page): Promise<void> {
  await pictureThere(page)
  await page.locator('.browser').first().click()
  // If an earlier screenshot took over the page, the button is `Hand back`.
  const takeOver = page.getByRole('button', { name: 'Take over' })
  const handBack = page.getByRole('button', { name: 'Hand back' })
  await takeOver.or(handBack).waitFor()
  if (await takeOver.isVisible()) await takeOver.click()
  await page.locator('img.driven').waitFor()
}

/** Selects a list by one click, and names its fields. */
async function pickList(page: Page, url: string): Promise<void> {
  await page.getByLabel('Address').fill(`${url}/categories/lamps`)
  await page.getByRole('button', { name: 'Load page' }).click()
  await page.frameLocator('iframe').getByText('Umber Floor Lamp 1').first().click()
  await page.getByText(/one record per item/).waitFor()
}

async function openRecord(page: Page): Promise<void> {
  await rowsThere(page)
  await page.locator('.row-button').first().click()
}

async function chartsDrawn(page: Page): Promise<void> {
  await page.locator('.chart canvas').nth(1).waitFor()
}

async function rowsThere(page: Page): Promise<void> {
  await page.locator('.list-row').nth(3).waitFor()
}

async function openLimits(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Raise limit' }).click()
  await page.getByText('5 used').waitFor()
}

async function plan(page: Page, url: string): Promise<void> {
  await page.getByLabel('Address').fill(`${url}/`)
  await page.getByRole('button', { name: 'Plan' }).click()
  await page.getByRole('dialog').getByText('Sampled').waitFor({ timeout: 60_000 })
}

async function pickFields(page: Page, url: string): Promise<void> {
  await page.getByLabel('Address').fill(`${url}/products/umber-floor-lamp-1`)
  await page.getByRole('button', { name: 'Load page' }).click()
  const frame = page.frameLocator('iframe')
  await frame.locator('h1').first().click()
  await frame.locator('.price').first().click()
  await page.getByText(/= 27[.,]95/).waitFor()
  await page.locator('.card', { hasText: 'values from this page' }).getByText('27.95').first().waitFor()
}

await main()
