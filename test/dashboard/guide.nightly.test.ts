// Tests the built guide in a real browser: its pages and its search. It connects only to the service.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { showDashboard } from '../support/dashboard.ts'

test('a reader opens the guide from the dashboard, searches it and follows a link', async () => {
  execFileSync(join(import.meta.dirname, '../../ci/guide'), { stdio: 'ignore' })
  await using shown = await showDashboard()
  const { context, page: dashboard } = await shown.signedIn()
  const requested: string[] = []
  const complaints: string[] = []
  context.on('request', request => void requested.push(request.url()))
  context.on('console', message => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  const opened = context.waitForEvent('page')
  await dashboard.getByRole('link', { name: 'Guide' }).click()
  const page = await opened
  await page.getByRole('heading', { name: 'Documentation', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Search' }).first().click()
  await page.getByRole('searchbox').fill('politeness')
  await page.locator('.result').first().click()
  await page.waitForURL(/\/guide\/.+/)
  await page.locator('h1').waitFor()
  await page.goto(`${shown.service.url}/guide/dashboard.html`)
  const picture = page.locator('.vp-doc img').first()
  await picture.scrollIntoViewIfNeeded()
  assert.ok(await picture.evaluate(image => (image as HTMLImageElement).decode().then(() => true)))
  const outside = requested.filter(url => !url.startsWith(shown.service.url) && !url.startsWith('data:'))
  assert.deepEqual(outside, [])
  assert.deepEqual(complaints, [])
})
