// Tests what the test site offers to tests of politeness and faults: the log, faults, held requests and added pages.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask } from './ask.ts'
import { gapsMs, maxInFlight, type RequestLogEntry, startTestSite } from './index.ts'

const entry = (at: number, endedAt: number | null) => ({ at, endedAt }) as RequestLogEntry

test('the log of the test site shows each request, its time and its outcome', async () => {
  await using site = await startTestSite()
  await ask(`${site.url}/about?x=1`, { headers: { 'user-agent': 'tester' } })
  await assert.rejects(ask(`${site.url}/reset/before-headers`))
  const [first, second] = site.requests
  assert.ok(first && second)
  assert.deepEqual(
    [first.method, first.url, first.host, first.status],
    ['GET', '/about?x=1', `127.0.0.1:${site.port}`, 200],
  )
  assert.equal(first.headers['user-agent'], 'tester')
  assert.ok(first.at <= first.startedAt! && first.startedAt! <= first.endedAt!)
  assert.equal(second.status, null)
  assert.ok(second.at >= first.at && first.remotePort > 0)
  assert.equal(site.requestsTo('/about').length, 1)
})

test('the log keeps the latest requests within its limit', async () => {
  await using site = await startTestSite({ maxLoggedRequests: 4 })
  for (let number = 1; number <= 6; number++) await ask(`${site.url}/leaf/${number}`)
  assert.deepEqual(
    site.requests.map(({ url }) => url),
    ['/leaf/3', '/leaf/4', '/leaf/5', '/leaf/6'],
  )
})

test('gaps between requests are measured by arrival time, whatever the order of the log', () => {
  assert.deepEqual(gapsMs([entry(300, 310), entry(100, 500), entry(150, 160)]), [50, 150])
  assert.deepEqual(gapsMs([entry(1, 2)]), [])
})

test('the largest number of concurrent requests is counted; a request that starts when another one ends is not concurrent', () => {
  assert.equal(maxInFlight([entry(0, 10), entry(10, 20), entry(20, 30)]), 1)
  assert.equal(maxInFlight([entry(0, 15), entry(10, 20), entry(14, 30)]), 3)
  assert.equal(maxInFlight([entry(0, null), entry(99, 100)]), 2)
  assert.equal(maxInFlight([]), 0)
})

test('a fault set by a test affects only the next requests to its path', async () => {
  await using site = await startTestSite()
  site.fail('/leaf/1', 2, 500, { 'x-fault': 'yes' })
  assert.equal((await ask(`${site.url}/leaf/2`)).status, 200)
  const told = [
    await ask(`${site.url}/leaf/1?a`),
    await ask(`${site.url}/leaf/1`),
    await ask(`${site.url}/leaf/1`),
  ]
  assert.deepEqual(
    told.map(({ status }) => status),
    [500, 500, 200],
  )
  assert.equal(told[0]!.headers['x-fault'], 'yes')
  site.fail('*', 1, 'reset')
  await assert.rejects(ask(`${site.url}/`), { code: 'ECONNRESET' })
  assert.equal((await ask(`${site.url}/`)).status, 200)
})

test('held requests wait until the test releases them, and count as concurrent', async () => {
  await using site = await startTestSite()
  const hold = site.hold('/leaf/1')
  const answers = [ask(`${site.url}/leaf/1`), ask(`${site.url}/leaf/1`)]
  await hold.arrived(2)
  assert.equal((await ask(`${site.url}/leaf/2`)).status, 200)
  assert.deepEqual(
    site.requestsTo('/leaf/1').map(({ endedAt }) => endedAt),
    [null, null],
  )
  hold.release()
  assert.deepEqual(
    (await Promise.all(answers)).map(({ status }) => status),
    [200, 200],
  )
  assert.equal(maxInFlight(site.requests), 3)
})

test('a test can add its own pages to the site, and replace existing pages', async () => {
  await using site = await startTestSite()
  site.serve('/mine', '<h1>Mine</h1>')
  site.serve('/robots.txt', { status: 503 })
  assert.equal((await ask(`${site.url}/mine`)).text, '<h1>Mine</h1>')
  assert.equal((await ask(`${site.url}/robots.txt`)).status, 503)
})

test('several test sites run at the same time, each with its own port, log and counters', async () => {
  await using one = await startTestSite()
  await using other = await startTestSite()
  assert.equal((await ask(`${one.url}/throttled?times=1`)).status, 429)
  assert.equal((await ask(`${other.url}/throttled?times=1`)).status, 429)
  assert.deepEqual([one.requests.length, other.requests.length], [1, 1])
})

test('closing the test site aborts waiting requests', async () => {
  const site = await startTestSite()
  const hold = site.hold('*')
  const waiting = assert.rejects(ask(`${site.url}/about`))
  await hold.arrived()
  await site.close()
  await waiting
})
