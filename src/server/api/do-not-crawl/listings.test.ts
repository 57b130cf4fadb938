// Tests entries of the operator on the do-not-crawl list.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operatorsListing, shownListing } from './listings.ts'

const by = { by: 'ann', at: 1_000 }

test('an entry that the operator adds applies at once', () => {
  const listing = operatorsListing({ pattern: 'Shop.example', list: 'deny' }, by)
  assert.deepEqual(
    [listing.state, listing.pattern, listing.decidedBy, listing.reason],
    ['approved', 'shop.example', 'ann', null],
  )
  assert.equal(
    operatorsListing({ pattern: 'shop.example/cart', list: 'deny' }, by).pattern,
    'shop.example/cart',
  )
  assert.throws(() => operatorsListing({ pattern: 'a b', list: 'deny' }, by), {
    code: 'input.invalid',
    details: { path: 'pattern' },
  })
})

test('the ownership token of a site owner’s request is never shown', () => {
  const listing = { ...operatorsListing({ pattern: 'a.example', list: 'deny' }, by), token: 'secret' }
  const shown = shownListing(listing)
  assert.doesNotMatch(JSON.stringify(shown), /secret/)
  assert.deepEqual(
    [shown.listingId, shown.status, shown.createdAt],
    [listing.id, 'approved', '1970-01-01T00:00:01.000Z'],
  )
})
