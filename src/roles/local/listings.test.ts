// Tests the do-not-crawl list of a data directory.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type ListingDirectory, localListings } from './listings.ts'

let folder: string
let book: ListingDirectory
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kscrape-listings-'))
  book = localListings({ dataDir: folder })
})
after(() => rm(folder, { recursive: true }))

test('an entry of the do-not-crawl list is added, listed by its state, decided and deleted', async () => {
  const { listingId, pattern } = await book.add({ pattern: '*.shop.example', list: 'deny', reason: 'asked' })
  assert.equal(pattern, '*.shop.example')
  const idsOf = async (status: 'approved' | 'refused') =>
    (await book.list({ list: 'deny', status })).map(entry => entry.listingId)
  assert.deepEqual([await idsOf('approved'), await idsOf('refused')], [[listingId], []])
  assert.equal((await book.decide(listingId, 'refuse')).status, 'refused')
  assert.deepEqual([await idsOf('approved'), await idsOf('refused')], [[], [listingId]])
  await book.delete(listingId)
  assert.deepEqual(await book.list({}), [])
})

test('the error for a missing entry names it', async () => {
  const unknown = { code: 'listing.unknown', message: /dnc-none/ }
  await assert.rejects(book.delete('dnc-none'), unknown)
  await assert.rejects(book.decide('dnc-none', 'approve'), unknown)
})
