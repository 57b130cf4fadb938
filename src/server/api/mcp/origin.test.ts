// Tests which web pages may use MCP.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refuseForeignOrigin } from './origin.ts'

test('programs, pages of the service and pages of the same machine may connect', () => {
  for (const headers of [
    { host: 'scraper.example:8001' },
    { host: 'scraper.example:8001', origin: 'https://scraper.example:8001' },
    { host: '127.0.0.1:8001', origin: 'http://localhost:6274' },
  ])
    assert.doesNotThrow(() => refuseForeignOrigin(headers))
})

test('pages of other sites may not connect, also if their name resolves to this machine', () => {
  for (const headers of [
    { host: '127.0.0.1:8001', origin: 'https://evil.example' },
    { host: '127.0.0.1:8001', origin: 'null' },
    { host: 'evil.example:8001', origin: 'http://localhost:6274' },
    { host: 'scraper.example', origin: 'http://127.0.0.1' },
  ])
    assert.throws(() => refuseForeignOrigin(headers), /Origin: .+ does not answer web pages of other sites/)
})
