// Tests opt-out requests of site owners.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../lib/clocks.ts'
import type { HostListing } from '../../../model/conduct.ts'
import { enterRequest, proofsOf, requestBody, requestNamed, verifyRequest } from './requests.ts'

function partsWith(found: 'dns' | null = null) {
  const kept = new Map<string, HostListing>()
  const refreshed: string[] = []
  const conduct = {
    enterListing: async (listing: HostListing) => void kept.set(listing.id, listing),
    listing: async (id: string) => kept.get(id) ?? null,
    listings: async () => [...kept.values()],
    decide: async (id: string, { state }: { state: HostListing['state'] }) =>
      void kept.set(id, { ...kept.get(id)!, state }),
  }
  const parts = {
    ...{ store: { conduct }, clock: new FakeClock(), log: { info: () => {} } },
    hosts: { refresh: async () => void refreshed.push('refresh') },
    ownership: { prove: async (host: string) => ({ by: found, looked: [`looked at ${host}`] }) },
  }
  return { kept, refreshed, parts: parts as unknown as Parameters<typeof enterRequest>[0] }
}
const body = (given: object) => requestBody.parse(given)

test('of the given URL, only the host counts', async () => {
  const { parts } = partsWith()
  const patternOf = async (given: object) => (await enterRequest(parts, body(given))).pattern
  assert.equal(await patternOf({ host: ' https://Shop.example/about?x#y ' }), 'shop.example')
  assert.equal(await patternOf({ host: 'other.example', subdomains: true }), '*.other.example')
  for (const host of ['*.example', 'no host', '***'])
    await assert.rejects(patternOf({ host }), { code: 'input.invalid', details: { path: 'host' } }, host)
})

test('a repeated request for one host creates no second entry', async () => {
  const { kept, parts } = partsWith()
  const first = await enterRequest(parts, body({ host: 'shop.example' }))
  assert.equal((await enterRequest(parts, body({ host: 'https://shop.example/' }))).id, first.id)
  assert.equal(kept.size, 1)
})

test('a request with a proof applies at once, and a request without a proof changes nothing', async () => {
  const unproved = partsWith()
  const open = await enterRequest(unproved.parts, body({ host: 'shop.example', subdomains: true }))
  const looked = await verifyRequest(unproved.parts, open.id)
  assert.deepEqual([looked.listing.state, looked.looked], ['requested', ['looked at shop.example']])
  assert.deepEqual(unproved.refreshed, [])
  const proved = partsWith('dns')
  const { id } = await enterRequest(proved.parts, body({ host: 'shop.example' }))
  assert.equal((await verifyRequest(proved.parts, id)).listing.state, 'proved')
  assert.deepEqual(proved.refreshed, ['refresh'])
  await verifyRequest(proved.parts, id)
  assert.deepEqual(proved.refreshed, ['refresh'], 'a proved entry is not checked again')
})

test('entries of the operator are not visible as requests', async () => {
  const { kept, parts } = partsWith()
  kept.set('dnc-1', { id: 'dnc-1', token: null } as HostListing)
  await assert.rejects(requestNamed(parts, 'dnc-1'), { code: 'listing.unknown' })
  await assert.rejects(requestNamed(parts, 'dnc-2'), { code: 'listing.unknown' })
})

test('the proofs name the host without the wildcard', () => {
  const proofs = JSON.stringify(proofsOf({ pattern: '*.shop.example', token: 'tok' } as HostListing))
  assert.match(proofs, /tok/)
  assert.doesNotMatch(proofs, /\*/)
})
