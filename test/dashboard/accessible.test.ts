// Labels, roles and contrast of every page, by axe-core, in light and dark.
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
  await service.submit({
    job_id: 'waiting',
    urls: [`${site.url}/?1`, `${site.url}/?2`],
    policy: { host: { rate: 0.01 } },
  })
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
})

after(() => shown[Symbol.asyncDispose]())

const places = (): Array<[place: string, ready: string]> => [
  ['jobs', 'looked-at'],
  ['jobs?show=cancelled', 'No job fits'],
  ['new', 'The same as code'],
  ['jobs/looked-at', 'Outcomes by reason'],
  ['jobs/waiting', 'What it waits for'],
  ['jobs/looked-at?tab=tasks', 'Attempts'],
  ['jobs/looked-at?tab=records', 'Parquet'],
  ['jobs/looked-at?tab=hosts', 'How it goes'],
  ['jobs/looked-at?tab=conduct', 'Conduct receipt'],
  ['jobs/looked-at/items/task-3', 'Response headers'],
  ['hosts', 'Last error'],
  [`hosts/127.0.0.1:${port}`, 'Policy in force'],
  ['do-not-crawl', 'quiet.example'],
  ['schedules', 'Nightly'],
  ['schedules/nightly', 'Next runs'],
  ['webhooks', 'Nothing was told'],
  ['workers', 'all-in-one'],
  ['keys', 'watcher'],
  ['settings', 'SCRAPER_DATA_DIR'],
]

async function findingsOn(page: Page): Promise<string[]> {
  const findings = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run: (...given: unknown[]) => Promise<{ violations: unknown[] }> }
    }
    const { violations } = await axe.run(document, { resultTypes: ['violations'] })
    return violations as unknown[]
  })
  return (findings as Finding[])
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, help, nodes }) =>
        `${id}: ${help}: ${nodes
          .slice(0, 3)
          .map(({ html }) => html.slice(0, 160))
          .join(' | ')}`,
    )
}

for (const colorScheme of ['light', 'dark'] as const)
  test(`no page has a serious finding (${colorScheme})`, async () => {
    // The page's own policy would not let the checker in.
    const { context, page } = await shown.signedIn({
      context: { colorScheme, bypassCSP: true, reducedMotion: 'reduce' },
    })
    page.setDefaultTimeout(45_000)
    await page.evaluate(axe)
    const all: string[] = []
    for (const [place, ready] of places()) {
      await page.goto(`${shown.service.url}/#/${place}`)
      await page.getByText(ready).first().waitFor()
      all.push(...(await findingsOn(page)).map(finding => `${place}: ${finding}`))
    }
    assert.deepEqual(all, [])
    await context.close()
  })

test('the sign-in page has no serious finding', async () => {
  const context = await shown.browser.newContext({ bypassCSP: true })
  const page = await context.newPage()
  await page.goto(shown.service.url)
  await page.getByLabel('API key').waitFor()
  await page.evaluate(axe)
  assert.deepEqual(await findingsOn(page), [])
  await context.close()
})
