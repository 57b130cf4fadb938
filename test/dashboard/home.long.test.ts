// The home page and the tables of records, on a service that has done some work.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type ShownDashboard, settled, showDashboard } from '../support/dashboard.ts'

let shown: ShownDashboard
let page: Page

before(async () => {
  shown = await showDashboard({ settings: { rate: 'unlimited' } })
  const { service, site } = shown
  const urls = ['/', '/about', '/status/404', '/status/410'].map(path => site.url + path)
  await service.submit({ job_id: 'mixed', urls, policy: { retries: { attempts: 0 } } })
  await service.ended('mixed')
  await service.ask('/schedules', {
    body: {
      ...{ schedule_id: 'nightly', name: 'Nightly prices', cron: '0 3 * * *', time_zone: 'UTC' },
      job: { urls: [site.url] },
    },
  })
  page = (await shown.signedIn()).page
  page.setDefaultTimeout(45_000)
})

after(() => shown[Symbol.asyncDispose]())

test('the home page shows what was fetched, what failed where, and what is due, and leads to all of it', async () => {
  await page.goto(`${shown.service.url}/#/`)
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  await settled(page)
  const stats = (await page.locator('.stat').allTextContents()).join(' | ')
  assert.match(stats, /Records, 24 hours2 .*Records, 30 days2 .*Pages, 24 hours2 .*Errors, 24 hours2/)
  await page.getByRole('link', { name: 'Nightly prices' }).waitFor()
  await page.getByRole('button', { name: 'Last 30 days' }).click()
  await page.getByRole('img', { name: 'Errors by reason over time' }).waitFor()
  await page.getByRole('link', { name: 'http.not-found' }).click()
  await page.getByRole('heading', { name: 'mixed' }).waitFor()
  await page.getByText('/status/404').first().waitFor()
})
