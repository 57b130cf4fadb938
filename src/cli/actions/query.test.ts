// Tests the SQL that is sent to DuckDB, and how values are printed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asked, textOf } from './query.ts'

type Connection = Parameters<typeof asked>[0]
const reader = { columnNames: () => [], getRowsJson: () => [] }

test('file names are quoted, so that a name can contain a quote', async () => {
  const sent: string[] = []
  const connection: Connection = {
    run: async sql => void sent.push(sql),
    runAndReadAll: async sql => {
      sent.push(sql)
      return reader
    },
    closeSync: () => {},
  }
  assert.equal(await asked(connection, ["/tmp/it's.parquet", 'b.parquet'], 'SELECT 1'), reader)
  assert.match(sent[0]!, /\['\/tmp\/it''s\.parquet', 'b\.parquet'\]/)
  assert.equal(sent[1], 'SELECT 1')
})

test('an error of DuckDB is reported as invalid input', async () => {
  const run = () => Promise.reject(new Error('no such column'))
  const connection = { run, runAndReadAll: run, closeSync: () => {} }
  await assert.rejects(asked(connection, [], 'SELECT x'), {
    code: 'input.invalid',
    message: /no such column/,
  })
})

test('null is shown as empty, and lists and objects as JSON', () => {
  assert.deepEqual([null, 0, 'a', [1], { b: 2 }, false].map(textOf), [
    '',
    '0',
    'a',
    '[1]',
    '{"b":2}',
    'false',
  ])
})
