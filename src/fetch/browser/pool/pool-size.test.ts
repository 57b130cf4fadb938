// Tests how many pages of the pool the clients of `/cdp` may use.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientSeats } from './pool-size.ts'

test('a quarter of the browser pool is reserved for jobs; a pool of two pages reserves one', () => {
  assert.deepEqual(
    [1, 2, 3, 4, 8, 32].map(size => clientSeats(size, 'auto')),
    [1, 1, 2, 3, 6, 24],
  )
})

test('SCRAPER_BROWSER_SEATS_FOR_JOBS reserves this number of pages for jobs, up to the whole pool', () => {
  assert.deepEqual(
    [0, 1, 4, 9].map(forJobs => clientSeats(4, forJobs)),
    [4, 3, 0, 0],
  )
})
