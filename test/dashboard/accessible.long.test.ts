// Tests labels, roles and contrast of every page with axe-core, in light and dark mode.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type ShownDashboard, showDashboard } from '../support/dashboard.ts'

interface Finding {
  id: string
  impact: string
  help: string
  nodes: Array<{ html: string }>
}

interface Result {
  violations: Finding[]
}

let shown: ShownDashboard
let axe: string
let port: number

before(async () => {
  axe = await readFile(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
  shown = await showDashboard({ settings: { rate: 'unlimited' } })
  const { service, site } = shown
  port = site.port
  const urls = ['/', '/about', '/status/404', '/private/ledger'].map(path => site.url + path)
  await service.submit({ job_id: 'looked-at', urls, policy: { retries: { attempts: 0 } } })
  await service.ended('looked-at')
  await service.key({ name: 'watcher' })
  await service.ask('/do-not-crawl', { body: { pattern: 'quiet.example' } })
  await service.ask('/schedules', {
    body: {
      schedule_id: 'nightly',
      name: 'Nightly',
      cron: '0 3 * * *',
      time_zone: 'UTC',
      job: { urls: [site.url] },
    },
  })
  await watchTwice(shown)
  // Submitted last, because later requests to the same host would have to wait.
  await service.submit({
    job_id: 'waiting',
    urls: [`${site.url}/?1`, `${site.url}/?2`],
    policy: { host: { rate: 0.01 } },
  })
})

after(() => shown[Symbol.asyncDispose]())

/** Creates a monitor and runs two checks, between which a page changes. */
async function watchTwice({ service, site }: ShownDashboard): Promise<void> {
  await service.ask('/monitors', {
    body: {
      ...{ monitor_id: 'anchors', name: 'Anchors', cron: '0 3 1 1 *' },
      job: { urls: [`${site.url}/changing/anchor`] },
    },
  })
  for (const _look of [1, 2]) {
    const { body } = await service.ask<{ job_id: string }>('/monitors/anchors/run', { method: 'POST' })
    await service.ended(body.job_id)
    await fetch(`${site.url}/changing/edition`, { method: 'POST' })
  }
}

const places = (): Array<[place: string, ready: string]> => [
  ['jobs', 'looked-at'],
  ['jobs?show=cancelled', 'No job matches'],
  ['new', 'The job as code'],
  ['jobs/looked-at', 'Outcomes by reason'],
  ['jobs/waiting', 'What the job waits for'],
  ['jobs/looked-at?tab=tasks', 'Attempts'],
  ['jobs/looked-at?tab=records', 'Parquet'],
  ['jobs/looked-at?tab=hosts', 'Progress'],
  ['jobs/looked-at?tab=conduct', 'Conduct receipt'],
  ['jobs/looked-at/items/task-3', 'Response headers'],
  ['', 'Running jobs'],
  ['search', 'Search'],
  ['uploads', 'No uploads yet'],
  ['proxies', 'No proxies'],
  ['sessions', 'No sessions yet'],
  ['scrapers', 'What it does'],
  ['hosts', 'Last error'],
  [`hosts/127.0.0.1:${port}`, 'Policy in force'],
  ['do-not-crawl', 'quiet.example'],
  ['schedules', 'Nightly'],
  ['schedules/nightly', 'Next runs'],
  ['monitors', '1 changed'],
  ['monitors/anchors', 'It costs € 45.00.'],
  ['webhooks', 'No webhooks yet'],
  ['browsers', 'No browser is in use'],
  ['workers', 'all-in-one'],
  ['keys', 'watcher'],
  ['settings', 'SCRAPER_DATA_DIR'],
]

/** Checks all rules, or only the given ones. */
async function findingsOn(page: Page, rules?: string[]): Promise<string[]> {
  const findings = await page.evaluate(async only => {
    const { axe } = globalThis as unknown as { axe: { run: (...given: unknown[]) => Promise<Result> } }
    const runOnly = only && { runOnly: { type: 'rule', values: only } }
    return (await axe.run(document, { resultTypes: ['violations'], ...runOnly })).violations
  }, rules)
  return findings
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, help, nodes }) =>
        `${id}: ${help}: ${nodes
          .slice(0, 3)
          .map(({ html }) => html.slice(0, 160))
          .join(' | ')}`,
    )
}

test('no page has a serious accessibility problem, and the contrast is high enough in dark mode too', async () => {
  // Bypasses the content security policy of the page, which would block the checker.
  const { context, page } = await shown.signedIn({ context: { bypassCSP: true, reducedMotion: 'reduce' } })
  await page.evaluate(axe)
  const all: string[] = []
  for (const [place, ready] of places()) {
    await page.emulateMedia({ colorScheme: 'light' })
    await page.goto(`${shown.service.url}/#/${place}`)
    await page.getByText(ready).first().waitFor()
    all.push(...(await findingsOn(page)).map(finding => `${place}: ${finding}`))
    await page.emulateMedia({ colorScheme: 'dark' })
    all.push(...(await findingsOn(page, ['color-contrast'])).map(finding => `${place}, dark: ${finding}`))
  }
  assert.deepEqual(all, [])
  await context.close()
})

test('a table that is wider than a narrow window can be scrolled with the keyboard', async () => {
  const { context, page } = await shown.signedIn({
    context: { bypassCSP: true, viewport: { width: 420, height: 800 } },
  })
  await page.evaluate(axe)
  for (const [place, ready] of [
    ['workers', 'all-in-one'],
    ['keys', 'watcher'],
  ] as const) {
    await page.goto(`${shown.service.url}/#/${place}`)
    await page.getByText(ready).first().waitFor()
    await page.locator('.scroll-x[tabindex="0"]').first().waitFor()
    assert.deepEqual(await findingsOn(page, ['scrollable-region-focusable']), [], place)
  }
  await context.close()
})

test('no dialog has a serious accessibility problem', async () => {
  const { context, page } = await shown.signedIn({ context: { bypassCSP: true, reducedMotion: 'reduce' } })
  await page.evaluate(axe)
  for (const [place, name] of [
    ['monitors', 'New monitor'],
    ['keys', 'New key'],
    ['jobs/waiting', 'Raise limit'],
    ['jobs/waiting', 'Cancel'],
    [`hosts/127.0.0.1:${port}`, 'Set policy'],
  ] as const) {
    await page.goto(`${shown.service.url}/#/${place}`)
    await page.getByRole('button', { name }).click()
    await page.getByRole('dialog').waitFor()
    assert.deepEqual(await findingsOn(page), [], name)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  await context.close()
})

test('the sign-in page has no serious accessibility problem', async () => {
  const context = await shown.browser.newContext({ bypassCSP: true })
  const page = await context.newPage()
  await page.goto(shown.service.url)
  await page.getByLabel('API key').waitFor()
  await page.evaluate(axe)
  assert.deepEqual(await findingsOn(page), [])
  await context.close()
})
