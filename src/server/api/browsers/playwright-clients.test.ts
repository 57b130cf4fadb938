// Tests which versions of Playwright clients may connect to /playwright.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { refusedClient, servedVersion } from './playwright-clients.ts'

test('the served version is that of the installed playwright-core', () => {
  const file = new URL('../../../../node_modules/playwright-core/package.json', import.meta.url)
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string }
  assert.ok(
    version.startsWith(`${servedVersion}.`),
    `${version} is installed, and ${servedVersion} is served`,
  )
})

test('clients of other versions get an error that names the served version and connectOverCDP', () => {
  assert.equal(refusedClient({ headers: { 'user-agent': `Playwright/${servedVersion}.3 (x64)` } }), null)
  for (const agent of ['Playwright/1.6.0', 'Playwright/2.65.0', 'curl/8', ''])
    assert.match(
      refusedClient({ headers: { 'user-agent': agent } })!.message,
      new RegExp(`${servedVersion}.*connectOverCDP`),
    )
})
