// Property 30: a credential is served from the cache within its time to live, and requested again afterwards.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { openBackendCredentials } from '../../src/adapters/http/credentials.ts'
import { FakeClock } from '../../src/lib/clocks.ts'
import { Failure } from '../../src/model/failures.ts'
import type { FetchRequest, Page } from '../../src/model/page/page.ts'

const never = new AbortController().signal

/** A backend that gives these answers in order. After the last one, each further answer has a new number. */
function backend(clock: FakeClock, ttlMs: number, answers: Array<number | Failure | string> = []) {
  const asked: FetchRequest[] = []
  const credentials = openBackendCredentials({
    ...{ clock, ttlMs, url: 'https://backend.example/base/', serviceKey: 'the-key' },
    fetch: async request => {
      const answer =
        answers[asked.push(request) - 1] ?? JSON.stringify({ password: `secret-${asked.length}` })
      if (answer instanceof Failure) throw answer
      return pageOf(answer)
    },
  })
  return { asked, get: (workspace = 'w', provider = 'p') => credentials.get(workspace, provider, never) }
}

const pageOf = (answer: number | string): Page =>
  ({
    status: typeof answer === 'number' ? answer : 200,
    body: Buffer.from(typeof answer === 'number' ? '' : answer),
  }) as Page

/** Advances the clock until the promise settles, so that waits between retries pass. */
async function outlast<Value>(clock: FakeClock, promise: Promise<Value>): Promise<Value> {
  let isDone = false
  const done = promise.finally(() => {
    isDone = true
  })
  done.catch(() => {})
  while (!isDone) {
    await new Promise(resolve => setImmediate(resolve))
    clock.advance(1_000)
  }
  return done
}

describe('property 30', () => {
  test('a credential is served from the cache within its time to live, and requested again afterwards', async () => {
    const steps = fc.array(fc.record({ waitMs: fc.nat(4_000), key: fc.nat(2) }), { maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5_000 }), steps, async (ttlMs, questions) => {
        const clock = new FakeClock()
        const here = backend(clock, ttlMs)
        const known = new Map<number, { at: number; password: string }>()
        for (const { waitMs, key } of questions) {
          clock.advance(waitMs)
          const before = here.asked.length
          const { password } = await here.get('w', `p${key}`)
          const last = known.get(key)
          const isFresh = last !== undefined && clock.now() - last.at < ttlMs
          assert.equal(here.asked.length - before, isFresh ? 0 : 1)
          if (isFresh) assert.equal(password, last.password)
          else known.set(key, { at: clock.now(), password: password! })
        }
      }),
    )
  })

  test('cached credentials are not shared between workspaces or between providers, whatever their names', async () => {
    const name = fc.string({ minLength: 1, maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.tuple(name, name), { selector: pair => JSON.stringify(pair) }),
        async pairs => {
          const here = backend(new FakeClock(), 60_000)
          for (const [workspace, provider] of pairs) await here.get(workspace, provider)
          assert.equal(here.asked.length, pairs.length)
          const urls = here.asked.map(({ url }) => url)
          assert.equal(new Set(urls).size, pairs.length)
          assert.ok(
            urls.every(url =>
              /^https:\/\/backend\.example\/base\/api\/v1\/workspaces\/[^/]+\/credentials\/[^/]+$/.test(url),
            ),
          )
        },
      ),
    )
  })

  test('concurrent calls for one credential send one request to the backend', async () => {
    const here = backend(new FakeClock(), 60_000)
    const all = await Promise.all([here.get(), here.get(), here.get()])
    assert.deepEqual([here.asked.length, new Set(all.map(({ password }) => password)).size], [1, 1])
    assert.equal(here.asked[0]?.headers?.['x-service-key'], 'the-key')
  })

  test('if the backend cannot be reached, kscrape retries after 1, 2 and 4 seconds, and then fails', async () => {
    const clock = new FakeClock()
    const refused = new Failure('connect.refused', 'nobody there')
    const here = backend(clock, 60_000, [refused, 503, refused, 500])
    const startedAt = clock.now()
    await assert.rejects(outlast(clock, here.get()), { code: 'credential.unavailable' })
    assert.equal(here.asked.length, 4)
    assert.ok(clock.now() - startedAt >= 7_000)
    assert.equal((await here.get()).password, 'secret-5', 'a failure is not remembered')
  })

  test('if one of the retries succeeds, the credential is returned', async () => {
    const clock = new FakeClock()
    const here = backend(clock, 60_000, [
      503,
      '{"data":{"credentials":{"username":"jo","pin":1234,"none":null}}}',
    ])
    assert.deepEqual({ ...(await outlast(clock, here.get())) }, { username: 'jo', pin: '1234' })
  })

  test('a credential that does not exist fails at once, and this result is cached briefly', async () => {
    const clock = new FakeClock()
    const here = backend(clock, 60_000, [404])
    const missing = { code: 'credential.not-found', message: 'workspace "w" has no credentials for "p"' }
    await assert.rejects(here.get(), missing)
    await assert.rejects(here.get(), missing)
    assert.equal(here.asked.length, 1)
    clock.advance(5_000)
    assert.equal((await here.get()).password, 'secret-2')
  })

  test('a refused key, a redirect and a response without fields are not retried', async () => {
    for (const answer of [401, 403, 400, '[]', '{}', 'no json', '{"a":{"b":1}}']) {
      const here = backend(new FakeClock(), 60_000, [answer])
      await assert.rejects(here.get(), { code: 'credential.unavailable' })
      assert.equal(here.asked.length, 1)
    }
  })

  test('credentials are requested over HTTPS only', () => {
    for (const url of ['http://backend.example', 'ftp://x', 'backend.example'])
      assert.throws(
        () =>
          openBackendCredentials({
            clock: new FakeClock(),
            ttlMs: 1,
            url,
            serviceKey: 'k',
            fetch: async () => pageOf(200),
          }),
        /https/,
      )
  })
})
