// Tests which identity a task gets. An identity keeps its proxy and its cookies, rests after use, and is excluded after a block.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type IdentityPolicy,
  identityPolicy,
  type ProxyPolicy,
  proxyPolicy,
} from '../../model/policy/proxy.ts'
import { named, parseProxy } from './endpoint.ts'
import { JobIdentities, type JobIdentitiesOptions } from './job-identities.ts'
import { ProxySet } from './proxy-set.ts'

const host = 'shop.example'

function identitiesOf(
  proxies: string[] | null,
  {
    proxy = {},
    identity = {},
    ...more
  }: Partial<Omit<JobIdentitiesOptions, 'proxy' | 'identity'>> & {
    proxy?: Partial<ProxyPolicy>
    identity?: Partial<IdentityPolicy>
  } = {},
): JobIdentities {
  let next = 0
  return new JobIdentities({
    proxy: proxyPolicy.parse(proxy),
    identity: identityPolicy.parse(identity),
    proxySet: proxies && new ProxySet(named(proxies.map(url => parseProxy(url)))),
    session: null,
    newId: () => `v${++next}`,
    ...more,
  })
}

const three = ['http://a.example:1', 'http://b.example:1', 'http://c.example:1']

test('with rotating proxies, each proxy is always used with its own identity', () => {
  const identities = identitiesOf(three, { proxy: { restMs: 0 } })
  const taken = Array.from({ length: 6 }, () => identities.take(host, 0)!)
  assert.deepEqual(
    taken.map(({ id }) => id),
    ['v1', 'v2', 'v3', 'v1', 'v2', 'v3'],
  )
  assert.equal(new Set(taken.map(({ id, proxy }) => `${id} ${proxy}`)).size, 3)
})

test('a sticky identity keeps its proxy until the proxy is unhealthy', () => {
  const identities = identitiesOf(three, { proxy: { rotation: 'sticky' }, identity: { count: 2 } })
  const [one, two] = [identities.take(host, 0)!, identities.take(host, 1)!]
  assert.notEqual(one.proxy, two.proxy)
  for (let at = 2; at < 10; at++)
    assert.ok([one.id, two.id].includes(identities.take(host, at)!.id), 'the same two take turns')
  const down = { code: 'proxy.failed' as const, message: '', details: { blames: 'proxy' } }
  identities.learn(one, host, { failure: down }, 10)
  const after = Array.from({ length: 4 }, () => identities.take(host, 11)!)
  assert.ok(after.every(({ id, proxy }) => id !== one.id && proxy !== one.proxy))
})

test('the next task of an identity gets its cookies', () => {
  const identities = identitiesOf(null, { identity: { count: 1 } })
  const first = identities.take(host, 0)!
  identities.learn(first, host, { failure: null, cookies: '[1]' }, 1)
  const again = identities.take(host, 2)!
  assert.deepEqual([again.id, again.cookies], [first.id, '[1]'])
})

test('an identity is not used again if it was blocked, or failed too often without a success', () => {
  const identities = identitiesOf(null, { identity: { count: 1, maxFailures: 2 } })
  const first = identities.take(host, 0)!
  identities.learn(first, host, { failure: { code: 'blocked.captcha', message: '' } }, 0)
  const second = identities.take(host, 0)!
  assert.notEqual(second.id, first.id)
  const slow = { code: 'fetch.timeout' as const, message: '' }
  for (const failure of [slow, null, null, slow, null]) identities.learn(second, host, { failure }, 0)
  assert.equal(identities.take(host, 0)!.id, second.id)
  for (const failure of [slow, slow]) identities.learn(second, host, { failure }, 0)
  assert.notEqual(identities.take(host, 0)!.id, second.id)
})

test('an identity rests after a number of uses, and another identity is used meanwhile', () => {
  const identities = identitiesOf(null, { identity: { count: 1, usesBeforeRest: 2, restMs: 1_000 } })
  const ids = [0, 1, 2, 3, 2_000, 2_001].map(at => identities.take(host, at)!.id)
  assert.deepEqual(ids, ['v1', 'v1', 'v2', 'v2', 'v1', 'v2'])
})

test('an old identity is replaced by a new one', () => {
  const identities = identitiesOf(null, { identity: { count: 1, maxAgeMs: 1_000 } })
  assert.notEqual(identities.take(host, 0)!.id, identities.take(host, 1_000)!.id)
})

test('a named session is one identity with one proxy, the same for every job that names it', () => {
  const jobs = [0, 1].map(() => identitiesOf(three, { session: 'shop-account' }))
  const taken = jobs.flatMap(identities => [0, 1, 2].map(at => identities.take(host, at)!))
  assert.equal(new Set(taken.map(({ id, proxy }) => `${id} ${proxy}`)).size, 1)
  assert.equal(taken[0]!.id, 'shop-account')
})

test('on a gateway with many exits sessions rotate, and no session has to rest', () => {
  const identities = identitiesOf(['http://u-session-{session}:p@gate.example:80'], {
    identity: { count: 4 },
  })
  const ids = Array.from({ length: 8 }, (_, at) => identities.take(host, at)!.id)
  assert.equal(new Set(ids).size, 4)
})

test('without a healthy proxy no task starts, and the job checks again later', () => {
  const identities = identitiesOf(['http://a.example:1'])
  const down = { code: 'proxy.refused' as const, message: '', details: { blames: 'proxy' } }
  identities.learn(identities.take(host, 0)!, host, { failure: down }, 0)
  assert.equal(identities.noneHealthy, true)
  assert.equal(identities.take(host, 0), null)
  assert.ok(identities.readyAt(host, 0) > 0)
  assert.equal(identities.noHealthyProxy().code, 'proxy.none-healthy')
})
