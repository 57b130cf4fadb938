// Tests the store query that a search request becomes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { queryOf } from './index.ts'

test('a search always covers one workspace, and has only the given filters', () => {
  assert.deepEqual(queryOf('team', { filters: [], limit: 10 } as never), {
    workspace: 'team',
    filters: [],
    limit: 10,
  })
  const full = queryOf('team', {
    filters: [],
    limit: 10,
    text: 'tea',
    jobId: 'j',
    host: 'Shop.EXAMPLE',
    scraper: 's',
  } as never)
  assert.deepEqual(full, {
    ...{
      workspace: 'team',
      filters: [],
      limit: 10,
      text: 'tea',
      jobId: 'j',
      host: 'shop.example',
      scraper: 's',
    },
  })
})

test('a cursor that the service did not create is refused', () => {
  assert.throws(() => queryOf('team', { filters: [], limit: 10, cursor: 'nonsense' } as never), {
    code: 'cursor.unknown',
  })
})
