// Tests jobs through real proxies: rotation, rests, exclusion, and what happens when no proxy is left.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { Failure } from '../../src/model/failures.ts'
import type { JobSpecInput } from '../../src/model/job.ts'
import { startTestSite, type TestSite } from '../site/index.ts'
import { TestEngine } from '../support/engine.ts'
import { patienceMs } from '../support/eventually.ts'
import { ForwardProxy } from '../support/proxies/forward-proxy.ts'
import { SocksServer } from '../support/proxies/socks-server.ts'
import { temporaryFile } from '../support/temporary-file.ts'

const passwords = ['one-1', 'two-2', 'three-3', 'four-4']

let site: TestSite
let proxies: ForwardProxy[]
let socks: SocksServer

before(async () => {
  site = await startTestSite()
  for (let n = 1; n <= 12; n++) site.serve(`/products/${n}`, `<title>Product ${n}</title><p>number ${n}</p>`)
  const users = ['ann:one-1', 'bob:two-2', 'cid:three-3']
  proxies = await Promise.all(users.map(credentials => ForwardProxy.start({ credentials })))
  socks = await SocksServer.start({ credentials: 'dan:four-4' })
})
after(async () => {
  for (const proxy of proxies) await proxy[Symbol.asyncDispose]()
  await socks[Symbol.asyncDispose]()
  await site.close()
})
beforeEach(async () => {
  for (const proxy of proxies) {
    if (proxy.mood === 'dead') await proxy.revive()
    proxy.mood = 'well'
    proxy.visits.length = 0
  }
  socks.visits.length = 0
})

const open = (urls: string[] = proxies.map(({ url }) => url), settings: object = {}) =>
  TestEngine.open({
    settings: { proxies: urls, allowPrivate: [`${site.host}:${site.port}`], proxyCheckMs: 50, ...settings },
  })

const rested = { restMs: 0 }

function listOf(count: number, policy: object = { proxy: rested }): JobSpecInput {
  return {
    urls: Array.from({ length: count }, (_, index) => `${site.url}/products/${index + 1}`),
    policy: {
      host: { rate: 'unlimited' },
      retries: { baseMs: 1, jitter: 0 },
      ...policy,
    },
  } as JobSpecInput
}

const pagesOf = ({ visits }: ForwardProxy) => visits.filter(({ target }) => target.includes('/products/'))
const withCredentials = (place: { visits: Array<{ credentials: string | null }> }) => [
  ...new Set(place.visits.map(({ credentials }) => credentials)),
]

/** Waits for a state of the job. On a timeout the error names the last state. */
async function until(engine: TestEngine, what: string, isTrue: () => boolean): Promise<void> {
  const deadline = Date.now() + patienceMs
  while (!isTrue()) {
    if (Date.now() > deadline)
      assert.fail(`${what} did not happen: ${JSON.stringify(engine.heard.slice(-5))}`)
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, 100)
      const deaf = engine.engine.listen(() => {
        deaf()
        clearTimeout(timer)
        setImmediate(resolve)
      })
    })
  }
}

const movedTo = (engine: TestEngine, state: string, reason: string | null = null) =>
  engine.heard.some(
    ({ name, event }) =>
      name === 'job.moved' &&
      (event as { to: string }).to === state &&
      (event as { reason: string | null }).reason === reason,
  )

test('healthy proxies rotate, robots.txt is requested through a proxy too, and every attempt names its proxy', async () => {
  await using engine = await open([...proxies.map(({ url }) => url), socks.url])
  const { job, counts } = await engine.run(listOf(8))
  assert.equal(counts.byState.succeeded, 8)
  for (const proxy of proxies) assert.equal(pagesOf(proxy).length, 2)
  const robots = proxies.flatMap(({ visits }) =>
    visits.filter(({ target }) => target.endsWith('/robots.txt')),
  )
  assert.equal(robots.length, 1)
  const used = new Map<string, number>()
  for (const { n } of await engine.tasks(job.id))
    for (const { proxy } of await engine.engine.data.store.tasks.attempts(job.id, n))
      used.set(String(proxy), (used.get(String(proxy)) ?? 0) + 1)
  assert.deepEqual([...used].sort(), [...proxies, socks].map(({ name }) => [name, 2]).sort())
})

test('the credentials of a proxy are sent only to this proxy', async () => {
  await using engine = await open([...proxies.map(({ url }) => url), socks.url])
  site.requests.length = 0
  await engine.run(listOf(8))
  assert.deepEqual([...proxies, socks].map(withCredentials), [
    ['ann:one-1'],
    ['bob:two-2'],
    ['cid:three-3'],
    ['dan:four-4'],
  ])
  assert.doesNotMatch(JSON.stringify(site.requests), /proxy-auth|one-1|two-2|three-3|four-4/i)
})

test('a proxy rests after a request to a host, so with two proxies the third page has to wait', async () => {
  await using engine = await open(proxies.slice(0, 2).map(({ url }) => url))
  const job = await engine.submit(listOf(3, { proxy: { restMs: 600_000 } }))
  const running = engine.start()
  const settled = () => engine.heard.filter(({ name }) => name === 'task.settled').length
  await until(engine, 'the second page', () => settled() === 2)
  assert.deepEqual(
    proxies.map(proxy => pagesOf(proxy).length),
    [1, 1, 0],
  )
  const [waiting] = (await engine.tasks(job.id)).filter(({ state }) => state === 'pending')
  assert.equal(waiting?.attempt, 0, 'the task was not started')
  engine.stop()
  await running
})

test('a sticky job keeps its proxy, and a session with the same name has the same proxy in the next job', async () => {
  const usedBy = async (session: string): Promise<number[]> => {
    await using engine = await open()
    for (const proxy of proxies) proxy.visits.length = 0
    const { counts } = await engine.run({ ...listOf(4), session })
    assert.equal(counts.byState.succeeded, 4)
    return proxies.map(proxy => pagesOf(proxy).length)
  }
  const first = await usedBy('shop')
  assert.deepEqual(first.toSorted(), [0, 0, 4])
  assert.deepEqual(await usedBy('shop'), first)
  await using engine = await open()
  for (const proxy of proxies) proxy.visits.length = 0
  await engine.run(listOf(4, { proxy: { rotation: 'sticky' } }))
  assert.deepEqual(proxies.map(proxy => pagesOf(proxy).length).toSorted(), [0, 0, 4])
})

test('a dead proxy fails no page, because other proxies run its tasks and the attempt is not counted', async () => {
  await proxies[1]!.die()
  await using engine = await open()
  const { job, counts } = await engine.run(listOf(6))
  assert.equal(counts.byState.succeeded, 6)
  const attempts = (
    await Promise.all(
      (await engine.tasks(job.id)).map(({ n }) => engine.engine.data.store.tasks.attempts(job.id, n)),
    )
  ).flat()
  const failed = attempts.filter(({ outcome }) => outcome !== 'ok')
  assert.ok(
    failed.length > 0 &&
      failed.every(({ outcome, proxy }) => outcome === 'proxy.failed' && proxy === proxies[1]!.name),
  )
  assert.ok((await engine.tasks(job.id)).every(({ charged }) => charged === 0))
})

test('if all proxies are dead, the job pauses with no-healthy-proxy, and continues when a proxy is back', async () => {
  for (const proxy of proxies) await proxy.die()
  await using engine = await open()
  const job = await engine.submit(listOf(5))
  const running = engine.start()
  await until(engine, 'the pause', () => movedTo(engine, 'paused', 'no-healthy-proxy'))
  await proxies[2]!.revive()
  await running
  const { counts } = await engine.engine.progress(job.id)
  assert.equal(counts.byState.succeeded, 5)
  assert.equal(counts.byState.failed, 0)
  assert.equal(pagesOf(proxies[2]!).length, 5)
})

const moods = { cuts: 'cuts connections', slow: 'never answers', lost: 'cannot reach any site' } as const

for (const [mood, what] of Object.entries(moods) as Array<[keyof typeof moods, string]>)
  test(`a proxy that ${what} is detected, and pages are fetched through other proxies`, async () => {
    proxies[0]!.mood = mood
    await using engine = await open()
    const { counts } = await engine.run(
      listOf(12, {
        proxy: rested,
        host: { rate: 'unlimited', concurrency: 3 },
        // The time until a silent request fails. A busy machine must be able to answer within it.
        timeouts: { headersMs: 1_500 },
        retries: { attempts: 10, baseMs: 1, jitter: 0 },
      }),
    )
    assert.equal(counts.byState.succeeded, 12)
    assert.ok(pagesOf(proxies[1]!).length + pagesOf(proxies[2]!).length >= 12)
  })

test('if a host answers other proxies, a proxy that never answers does not open the breaker of the host', async () => {
  proxies[0]!.mood = 'slow'
  await using file = await temporaryFile(
    'policies.yaml',
    'default: { rate: unlimited, breaker: { window: 10, failures: 3, cooldown: 1h } }',
  )
  await using engine = await open(undefined, { domainPolicies: file.path })
  const { counts } = await engine.run(
    listOf(12, {
      proxy: rested,
      robots: 'ignore',
      host: { rate: 'unlimited', concurrency: 3 },
      // With a waiting caller, a task fails at once if the breaker is open.
      answerWithinMs: 60_000,
      timeouts: { headersMs: 3_000 },
      retries: { attempts: 10, baseMs: 1, jitter: 0 },
    }),
  )
  assert.deepEqual(counts.byReason, { ok: 12 })
})

test('a proxy that refuses its password is excluded, and the password appears nowhere in stored data or messages', async () => {
  await using engine = await open([proxies[0]!.url, proxies[1]!.url.replace('two-2', 'wr0ng-passw0rd')])
  // The retry through the other proxy starts at once. If it had to wait, this test would take an hour.
  const retries = { baseMs: 3_600_000, capMs: 3_600_000, jitter: 0 }
  const { counts } = await engine.run(listOf(4, { proxy: rested, retries }))
  assert.equal(counts.byState.succeeded, 4)
  assert.equal(pagesOf(proxies[0]!).length, 4)
  const told = JSON.stringify(engine.heard)
  for (const secret of [...passwords, 'wr0ng-passw0rd']) assert.ok(!told.includes(secret), secret)
  await engine.close()
  for (const entry of await readdir(engine.folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const text = (await readFile(join(entry.parentPath, entry.name))).toString('latin1')
    for (const secret of [...passwords, 'wr0ng-passw0rd'])
      assert.ok(!text.includes(secret), `${entry.name} contains ${secret}`)
  }
})

test('a job with a private proxy address is refused, and the credentials of proxies are encrypted in the store', async () => {
  await using engine = await open([])
  const ofJob = (url: string) => engine.submit(listOf(1, { proxy: { urls: [url] } }))
  for (const url of [
    'http://10.0.0.1:3128',
    'http://127.0.0.1:6379',
    'socks5://localhost:1080',
    proxies[0]!.url,
  ])
    await assert.rejects(
      ofJob(url),
      (error: unknown) =>
        error instanceof Failure && error.code === 'address.refused' && !error.message.includes('one-1'),
    )
  const opened = await TestEngine.open({
    settings: { allowPrivate: [`${site.host}:${site.port}`, proxies[0]!.place] },
  })
  await using _closing = opened
  const { job, counts } = await opened.run(listOf(2, { proxy: { ...rested, urls: [proxies[0]!.url] } }))
  assert.equal(counts.byState.succeeded, 2)
  assert.deepEqual(withCredentials(proxies[0]!), ['ann:one-1'])
  assert.doesNotMatch(JSON.stringify(await opened.engine.data.store.jobs.get(job.id)), /one-1|ann/)
})

test('a forbidden URL is refused before any proxy gets it', async () => {
  await using engine = await open()
  await assert.rejects(
    engine.submit({ urls: ['http://169.254.169.254/latest/meta-data/'] }),
    (error: unknown) => error instanceof Failure && error.code === 'address.refused',
  )
  site.serve('/to-metadata', { status: 302, headers: { location: 'http://169.254.169.254/' }, body: '' })
  const { counts } = await engine.run({ ...listOf(1), urls: [`${site.url}/to-metadata`] })
  assert.equal(counts.byReason['address.refused'], 1)
  const asked = proxies.flatMap(({ visits }) => visits.map(({ target }) => target))
  assert.ok(
    asked.every(target => !target.includes('169.254')),
    asked.join(' '),
  )
})

test('a job may connect directly although there are proxies, and a job that needs missing proxies is refused', async () => {
  await using engine = await open()
  const { counts } = await engine.run(listOf(2, { proxy: { use: 'never' } }))
  assert.equal(counts.byState.succeeded, 2)
  assert.deepEqual(
    proxies.flatMap(({ visits }) => visits),
    [],
  )
  await using without = await TestEngine.open()
  const asking = { urls: ['https://example.com/'] }
  for (const proxy of [{ use: 'always' as const }, { type: 'residential' }, { country: 'de' }])
    await assert.rejects(
      without.submit({ ...asking, policy: { proxy } }),
      (error: unknown) =>
        error instanceof Failure && error.code === 'input.invalid' && /proxy/.test(error.message),
    )
})

test('all threads share one rotation of the proxies', async () => {
  await using engine = await TestEngine.open({
    lanes: 2,
    settings: { proxies: proxies.map(({ url }) => url), allowPrivate: [`${site.host}:${site.port}`] },
  })
  const { counts } = await engine.run(listOf(9))
  assert.equal(counts.byState.succeeded, 9)
  for (const proxy of proxies) assert.equal(pagesOf(proxy).length, 3)
})

test('the user name for a provider contains session and country, and unsupported options give a warning', async () => {
  await using gateway = await ForwardProxy.start()
  await using engine = await open([], {
    brightdataCustomer: 'hl_1',
    brightdataZones: ['datacenter=dc1:pw-dc', 'residential=res1:pw-res'],
    brightdataGateway: `http://${gateway.place}`,
  })
  const asked = { ...rested, type: 'datacenter', country: 'us', state: 'az' }
  const { job, counts } = await engine.run({
    ...listOf(4, { proxy: asked, identity: { count: 2 } }),
    concurrency: 1,
  })
  assert.equal(counts.byState.succeeded, 4)
  const users = new Set(pagesOf(gateway).map(({ credentials }) => credentials!))
  assert.equal(users.size, 2, 'two identities alternate')
  for (const user of users)
    assert.match(user, /^brd-customer-hl_1-zone-dc1-country-us-session-[0-9a-f]+:pw-dc$/)
  assert.ok(engine.notices().some(message => /state "az" was left out/.test(message)))
  const notes = await engine.engine.data.store.conduct.notes(job.id)
  assert.deepEqual(
    notes.map(({ what, value }) => [what, value]),
    [['proxies', 'the provider datacenter us']],
  )
})
