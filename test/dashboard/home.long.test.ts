// Tests the home page and the record tables, on a service with finished jobs.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type ShownDashboard, settled, showDashboard } from '../support/dashboard.ts'
import { TestService } from '../support/service.ts'

let shown: ShownDashboard
let page: Page

before(async () => {
  shown = await showDashboard({ settings: { rate: 'unlimited' } })
  const { service, site } = shown
  await service.submit({
    ...{ job_id: 'goods', urls: [`${site.url}/products/umber-floor-lamp-1`, `${site.url}/about`] },
    extract: { fields: { title: 'h1', price: { css: '.price', as: 'money' } } },
  })
  await service.ended('goods')
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
})

after(() => shown[Symbol.asyncDispose]())

test('the home page shows fetched pages, failures and due runs, with a link for each', async () => {
  await page.goto(`${shown.service.url}/#/`)
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  await settled(page)
  const stats = (await page.locator('.stat').allTextContents()).join(' | ')
  assert.match(stats, /Records, 24 hours4 .*Records, 30 days4 .*Pages, 24 hours4 .*Errors, 24 hours2/)
  await page.getByRole('link', { name: 'Nightly prices' }).waitFor()
  await page.getByRole('button', { name: 'Last 30 days' }).click()
  await page.getByRole('img', { name: 'Errors by reason over time' }).waitFor()
  await page.getByRole('table').getByRole('link', { name: 'http.not-found' }).click()
  await page.getByRole('heading', { name: 'mixed' }).waitFor()
  await page.getByText('/status/404').first().waitFor()
})

test('every number on the home page links to a page that shows the same number for the same time range', async () => {
  const home = `${shown.service.url}/#/`
  for (const what of ['Records', 'Pages', 'Errors'])
    for (const range of ['24 hours', '30 days']) {
      await page.goto(home)
      const figure = page.getByRole('link', { name: `${what}, ${range}` })
      const number = /\d+$/.exec((await figure.textContent())!)![0]
      await figure.click()
      await page.getByRole('heading', { name: what, exact: true }).waitFor()
      await page.getByRole('button', { name: `Last ${range}`, pressed: true }).waitFor()
      await page.getByRole('heading', { name: `${number} ${what.toLowerCase()}` }).waitFor()
    }
  await page.goto(`${home}?range=7d`)
  await page.getByRole('list').getByRole('link', { name: 'http.not-found' }).click()
  await page.getByRole('heading', { name: '2 errors' }).waitFor()
  await page.getByRole('button', { name: 'Last 7 days', pressed: true }).waitFor()
  await page.goto(`${home}?range=30d`)
  await page
    .getByRole('row', { name: /http\.not-found/ })
    .getByRole('link', { name: '2', exact: true })
    .click()
  await page.getByText(`at ${shown.site.host}`).waitFor()
  await page.getByRole('link', { name: 'mixed' }).click()
  await page.getByText('/status/410').first().waitFor()
})

test('the dashboard of a demo service needs no key', async () => {
  await using service = await TestService.open({ isDemo: true, settings: { apiKey: undefined } })
  const context = await shown.browser.newContext()
  const visitor = await context.newPage()
  await visitor.goto(`${service.url}/#/`)
  await visitor.getByRole('heading', { name: 'Home' }).waitFor()
  await context.close()
})

test('records are searched, filtered, sorted, shown beside their page, and saved as they are shown', async () => {
  await page.goto(`${shown.service.url}/#/jobs/goods?tab=records`)
  const rows = page.locator('.list-row')
  await rows.nth(1).waitFor()
  const titles = () => rows.locator('[role=cell]:nth-child(2)').allTextContents()
  await page.getByRole('button', { name: 'title' }).click()
  await page.getByRole('columnheader', { name: 'title ↑' }).waitFor()
  const up = await titles()
  await page.getByRole('button', { name: 'title' }).click()
  await page.getByRole('columnheader', { name: 'title ↓' }).waitFor()
  assert.deepEqual(await titles(), up.toReversed())
  await page.getByLabel('Field', { exact: true }).selectOption('title')
  await page.getByLabel('Value').fill('Umber')
  await page.getByText('1 found').waitFor()
  assert.deepEqual(await titles(), ['Umber Floor Lamp 1'])
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'This view' }).click(),
  ])
  assert.equal(download.suggestedFilename(), 'goods-view.csv')
  await page.getByRole('button', { name: 'beside its page' }).click()
  const frame = page.frameLocator('iframe.frame')
  await frame.locator('h1[data-kscrape-mark]').waitFor()
  await page.getByRole('button', { name: 'price', exact: true }).last().click()
  await frame.locator('.price[data-kscrape-mark]').waitFor()
  assert.equal(await frame.locator('h1[data-kscrape-mark]').count(), 0)
})

test('search, uploads, proxies, sessions and scrapers have pages, and a dropped file becomes a job', async () => {
  await page.goto(`${shown.service.url}/#/search?q=Umber`)
  await page.getByRole('link', { name: /Umber Floor Lamp 1/ }).waitFor()
  await page.goto(`${shown.service.url}/#/uploads`)
  // A CSV file as Excel saves it in Europe.
  const text = `\ufeffurl;sku\n${shown.site.url}/about;A-17\n`
  const dataTransfer = await page.evaluateHandle(body => {
    const dropped = new DataTransfer()
    dropped.items.add(new File([body], 'list.csv', { type: 'text/csv' }))
    return dropped
  }, text)
  await page.dispatchEvent('.drop', 'drop', { dataTransfer })
  await page.getByRole('link', { name: 'Create a job from it' }).click()
  await page.getByLabel('Job id').fill('from-a-file')
  await page.getByRole('button', { name: 'Start the job' }).click()
  await page.getByText('Completed', { exact: true }).first().waitFor()
  await page.goto(`${shown.service.url}/#/jobs/from-a-file?tab=records`)
  await page.getByRole('columnheader', { name: '_input.sku' }).waitFor()
  await page.locator('.list-row', { hasText: 'A-17' }).waitFor()
  for (const [place, words] of [
    ['proxies', 'No proxies'],
    ['sessions', 'No sessions yet'],
    ['scrapers', 'What it does'],
  ] as const) {
    await page.goto(`${shown.service.url}/#/${place}`)
    await page.getByText(words).first().waitFor()
  }
})

test('the runs of a schedule share one line of the job list, and the records table shows what changed between two runs', async () => {
  const { service, site } = shown
  await service.ask('/schedules', {
    body: {
      ...{ schedule_id: 'twice', name: 'Twice', cron: '0 3 1 1 *', time_zone: 'UTC' },
      job: { urls: [`${site.url}/changing/anchor`], extract: { fields: { text: 'body' } } },
    },
  })
  const jobs: string[] = []
  for (const _run of [1, 2]) {
    const { body } = await service.ask<{ job_id: string }>('/schedules/twice/run', { method: 'POST' })
    await service.ended(body.job_id)
    jobs.push(body.job_id)
  }
  await page.goto(`${shown.service.url}/#/jobs`)
  await page.getByText('2 runs').waitFor()
  await page.goto(`${shown.service.url}/#/jobs/${jobs[1]}?tab=records`)
  await page.getByRole('button', { name: 'Compare with the previous run' }).click()
  await page.getByText(/Since .*: 0 new, 1 changed, 0 gone/).waitFor()
  await page.locator('.cell-changed').first().waitFor()
})
