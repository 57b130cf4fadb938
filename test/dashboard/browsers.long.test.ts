// Tests the live view in a real browser: a user sees a running page, controls it by mouse and keyboard, and resumes the task.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chromium } from 'playwright-core'
import { showDashboard } from '../support/dashboard.ts'
import { eventually } from '../support/eventually.ts'
import { ListeningSite } from '../support/listening-site.ts'
import { operatorKey } from '../support/service.ts'

test('a user sees a running browser, controls it through its image, and resumes its task', async () => {
  await using site = await ListeningSite.open({
    '/': '<title>To drive</title><input id="name" style="position:fixed;inset:0;width:100vw;height:100vh"><script>console.log("written by the page")</script>',
  })
  await using shown = await showDashboard({ settings: { rate: 'unlimited', allowPrivate: [site.place] } })
  const endpoint = `${shown.service.url.replace('http', 'ws')}/cdp?token=${operatorKey}`
  const driven = await chromium.connectOverCDP(endpoint)
  const theirs = await driven.contexts()[0]!.newPage()
  await theirs.goto(site.url)
  const { body } = await shown.service.ask<{ hosts: Array<{ host: string }> }>('/hosts')
  const strange = body.hosts.filter(({ host }) => host.startsWith('~'))
  assert.deepEqual(strange, [], 'a browser that a client drives is no host')
  const { page } = await shown.signedIn()
  await page.goto(`${shown.service.url}/#/browsers`)
  await page.locator('.browser img.live').waitFor()
  await page.locator('.browser', { hasText: 'To drive' }).click()
  await page.getByRole('button', { name: 'Take over' }).click()
  await page.locator('img.driven').click()
  await page.keyboard.type('Ada')
  await page.getByText('written by the page').waitFor()
  await page.getByRole('button', { name: 'Hand back' }).click()
  await page.getByRole('button', { name: 'Take over' }).waitFor()
  await eventually('the text in the page', async () => (await theirs.inputValue('#name')) === 'Ada')
  await driven.close()
})
