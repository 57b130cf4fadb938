// Tests how the states of proxies that several pools report are merged.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProxyState } from '../model/policy/proxy.ts'
import { mergedStates, proxyDirectory } from './proxy-directory.ts'

const state = (name: string, change: Partial<ProxyState> = {}): ProxyState =>
  ({
    name,
    source: 'operator',
    isHealthy: true,
    successes: 1,
    failures: 0,
    trouble: null,
    since: null,
    ...change,
  }) as ProxyState

test('the counts of a proxy are summed over all pools, and the proxy is healthy if it is healthy in all of them', () => {
  const ill = { isHealthy: false, trouble: 'proxy.failed', since: 5, failures: 2 }
  for (const states of [
    [state('a'), state('b'), state('a', ill)],
    [state('a', ill), state('b'), state('a')],
  ]) {
    const [a, b] = mergedStates(states)
    assert.deepEqual(a, state('a', { ...ill, successes: 2 }))
    assert.deepEqual(b, state('b'))
  }
})

test('the operator’s list of proxies leaves out proxies of jobs', async () => {
  const shared = { states: [state('ours')] }
  const ofProvider = { states: [state('provider', { source: 'provider' as never })] }
  const ofJob = { states: [state('theirs', { source: 'job' })] }
  const proxySets = [shared, ofProvider, ofJob].map(proxySet => ({ proxySet }))
  const context = {
    proxies: { proxySet: shared },
    jobs: new Map([
      ['job-1', { identities: { proxySets } }],
      ['job-2', {}],
    ]),
  }
  const listed = await proxyDirectory({ context } as never).list()
  assert.deepEqual(
    listed.map(({ name }) => name),
    ['ours', 'provider'],
  )
})

test('a check tests every proxy of the operator, and a proxy that cannot be tested stays in its state', async () => {
  const checked: unknown[] = []
  const proxySet = { states: [], checked: (...given: unknown[]) => checked.push(given) }
  const check = async ({ name }: { name: string }) => {
    if (name === 'b') throw new Error('cannot try')
    return { trouble: null, isDoubtful: false }
  }
  const operator = { proxies: [{ name: 'a' }, { name: 'b' }] }
  const context = { clock: { now: () => 7 }, jobs: new Map(), proxies: { proxySet, check, operator } }
  await proxyDirectory({ context } as never).check()
  assert.deepEqual(checked, [['a', { trouble: null, isDoubtful: false }, 7]])
  assert.deepEqual(await proxyDirectory({ context: { jobs: new Map() } } as never).check(), [])
})
