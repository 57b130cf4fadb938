// Tests the formats of results, and which parameters a stream refuses.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatIn, refuseUnstreamed } from './results.ts'

test('the Accept header chooses the format of results', () => {
  const of = (accept?: string) => formatIn({ headers: { ...(accept && { accept }) } } as never)
  assert.deepEqual([of(), of('*/*'), of('application/json')], ['json', 'json', 'json'])
  for (const type of ['application/x-ndjson', 'application/ndjson', 'application/jsonl'])
    assert.equal(of(type), 'ndjson', type)
  assert.equal(of('text/csv, */*'), 'csv')
})

test('paging parameters are refused for streamed results, and CSV cannot contain both records and failures', () => {
  const refused = (path: string) => ({ code: 'input.invalid', details: { path } })
  refuseUnstreamed('ndjson', { status: 'all' } as never)
  refuseUnstreamed('csv', { status: 'success', provenance: false } as never)
  assert.throws(() => refuseUnstreamed('csv', { status: 'all' } as never), refused('status'))
  assert.throws(() => refuseUnstreamed('ndjson', { limit: 5 } as never), refused('limit'))
  assert.throws(() => refuseUnstreamed('ndjson', { cursor: 'c' } as never), refused('cursor'))
  assert.throws(() => refuseUnstreamed('csv', { provenance: true } as never), refused('provenance'))
})
