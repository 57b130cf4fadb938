// Tests browser connections at their limits: full pools, clients that disconnect, browsers that are killed. Nothing is left over,
// and every seat is counted.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { WebSocket } from 'ws'
import { commandLineOf } from '../../src/fetch/browser/pool/processes.ts'
import { BrowserService, ownBrowsers, playwright } from '../support/browser-clients.ts'
import { eventually, found } from '../support/eventually.ts'

let browsers: BrowserService
before(async () => {
  browsers = await BrowserService.open(
    { '/': '<title>Home</title>', '/large': response => response.end('x'.repeat(3_000_000)) },
    {
      settings: {
        ...{ browserPoolSize: 3, browserQueueMs: 8_000, lanes: 1 },
        ...{ browserConnectionBytes: 2_000_000, browserConnectionPages: 3 },
      },
    },
  )
})
after(() => browsers?.[Symbol.asyncDispose]())

/** Reads the number of seats from the metrics, because other routes would start a browser to test it. */
const seats = async (): Promise<{ open: number; free: number }> => {
  const { text } = await browsers.service.ask('/metrics')
  const value = (name: string) => Number(new RegExp(`^kscrape_${name} (\\d+)$`, 'm').exec(text)?.[1])
  return { open: value('browser_pages_open'), free: value('browser_pages_free') }
}

const settled = () =>
  eventually('no browser is left and every seat is free', async () => {
    if (ownBrowsers().length > 0) return false
    const { open, free } = await seats()
    return open === 0 && free === 3
  })

/** Retries after a 503: on a busy machine a browser may start later than the wait limit. */
const opened = (query: Record<string, string> = {}): Promise<WebSocket> =>
  found('a seat becomes free', async () => {
    const socket = new WebSocket(browsers.endpoint('/cdp', query))
    const refused = once(socket, 'unexpected-response').then(([, response]) => response)
    const answer = await Promise.race([once(socket, 'open').then(() => null), refused])
    if (answer === null) return socket
    assert.equal(answer.statusCode, 503)
    return undefined
  })

test('if all seats for clients are in use, a client waits, and gets Retry-After and its position if no seat becomes free', async () => {
  const held = await Promise.all([opened(), opened()])
  await eventually('both seats are counted', async () => (await seats()).open === 2)
  const late = new WebSocket(browsers.endpoint())
  late.on('error', () => {})
  const [, response] = await once(late, 'unexpected-response')
  assert.equal(response.statusCode, 503)
  assert.ok(Number(response.headers['retry-after']) >= 1)
  const { error } = JSON.parse(String(Buffer.concat(await response.toArray())))
  assert.deepEqual([error.code, error.position], ['pool.exhausted', 1])
  const waiting = opened()
  held[0]!.close()
  const next = await waiting
  for (const socket of [held[1]!, next]) socket.close()
  await settled()
})

test('clients that disconnect at any moment leave behind neither a browser nor a seat in use', async () => {
  const sockets = Array.from({ length: 10 }, () => new WebSocket(browsers.endpoint()))
  for (const [index, socket] of sockets.entries()) {
    socket.on('error', () => {})
    if (index % 3 === 0)
      socket.once('open', () => socket.send('{"id":1,"method":"Target.createTarget","params":{}}'))
    if (index % 3 === 1) setImmediate(() => socket.terminate())
  }
  // The first two clients get browsers. All other clients still wait when they disconnect.
  await once(sockets[0]!, 'open')
  for (const socket of sockets) socket.terminate()
  await settled()
})

test('if a browser is killed, only its own connection ends, with the reason', async () => {
  const [one, other] = await Promise.all([opened(), opened()])
  const [victim] = ownBrowsers().filter(pid => !commandLineOf(pid).includes('--type='))
  const closed = Promise.race(
    [one, other].map(async socket => ({ socket, said: await once(socket, 'close') })),
  )
  process.kill(-victim!, 'SIGKILL')
  const { socket, said } = await closed
  assert.deepEqual([said[0], String(said[1])], [1011, 'The browser ended'])
  const survivor = socket === one ? other : one
  survivor.send('{"id":7,"method":"Browser.getVersion"}')
  const [answer] = await once(survivor, 'message')
  assert.equal(JSON.parse(String(answer)).id, 7)
  survivor.close()
  await settled()
})

test('the time, the bytes and the pages of a connection are limited', async () => {
  const chromium = playwright()
  const browser = await chromium.connectOverCDP(browsers.endpoint())
  const context = browser.contexts()[0]!
  const pages = await Promise.all([context.newPage(), context.newPage(), context.newPage()])
  await assert.rejects(context.newPage(), /may open at most 3 pages/)
  await pages[0]!.goto(`${browsers.site.url}/large`, { waitUntil: 'commit' })
  await eventually('nothing more is received', async () => {
    // Either the gate refuses the request, or the connection is closed at the byte limit.
    const response = await pages[1]!.goto(`${browsers.site.url}/`, { waitUntil: 'commit' }).catch(() => null)
    return response?.status() !== 200
  })
  await browser.close()
  const brief = await opened({ timeout: '1000' })
  const [code, reason] = await once(brief, 'close')
  assert.equal(code, 1001)
  assert.match(String(reason), /reached its time limit of 1 s/)
  await settled()
})

// This test runs last, because the browser of the job stays open for further pages.
test('clients cannot take the last seat, which is reserved for jobs', async () => {
  const held = await Promise.all([opened(), opened()])
  const waiting = opened()
  await eventually('the third client waits', async () => {
    const { body } = await browsers.service.ask<{ waiting: unknown[] }>('/browsers')
    return body.waiting.length === 1
  })
  const rendered = await browsers.service.submit({ urls: [`${browsers.site.url}/`], render: 'always' })
  assert.equal((await browsers.service.ended(rendered)).status, 'completed')
  held[0]!.close()
  for (const socket of [held[1]!, await waiting]) socket.close()
  await eventually('every seat is free', async () => (await seats()).free === 3)
})
