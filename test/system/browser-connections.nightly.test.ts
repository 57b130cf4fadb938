// Tests fifty clients that disconnect, with both protocols and at every moment. No process is left, and the seat counts are exact.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { BrowserService, ownBrowsers, playwright } from '../support/browser-clients.ts'
import { eventually } from '../support/eventually.ts'

test('after fifty clients disconnect, nothing is left over, and the next client is served', async () => {
  await using browsers = await BrowserService.open(
    { '/': '<title>Home</title>' },
    { settings: { browserPoolSize: 3, browserSeatsForJobs: 0, lanes: 1 } },
  )
  const agent = { headers: { 'user-agent': 'Playwright/1.65.0' } }
  const gone = Array.from({ length: 50 }, (_, index) => {
    const isPlaywright = index % 5 === 0
    const socket = new WebSocket(
      browsers.endpoint(isPlaywright ? '/playwright' : '/cdp'),
      isPlaywright ? agent : {},
    )
    socket.on('error', () => {})
    const closed = new Promise(resolve => socket.once('close', resolve))
    // A client disconnects at once, when its socket opens, while a page loads, or in the middle of a message.
    if (index % 4 === 0) setImmediate(() => socket.terminate())
    else
      socket.once('open', () => {
        const url = `${browsers.site.url}/`
        if (index % 4 > 1)
          socket.send(JSON.stringify({ id: 1, method: 'Target.createTarget', params: { url } }))
        if (index % 4 > 2) socket.once('message', () => socket.terminate())
        else socket.terminate()
      })
    return closed
  })
  await Promise.all(gone)
  await eventually('no browser is left and every seat is free', async () => {
    const { text } = await browsers.service.ask('/metrics')
    return ownBrowsers().length === 0 && /^kscrape_browser_pages_free 3$/m.test(text)
  })
  const all = await Promise.all([1, 2, 3].map(() => playwright().connectOverCDP(browsers.endpoint())))
  for (const browser of all) await browser.close()
  const { body } = await browsers.service.ask<{ jobs: Array<{ status: string }> }>('/jobs?limit=1000')
  await eventually('every job of a connection has ended', async () => {
    const open = await browsers.service.ask<{ jobs: unknown[] }>('/jobs?status=running')
    return open.body.jobs.length === 0
  })
  assert.ok(body.jobs.length >= 3)
})
