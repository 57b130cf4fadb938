// Tests that personal data in records and their input rows is hidden, and that a warning lists the changed fields.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shownRow } from '../../model/hidden-row.ts'
import type { PiiMode } from '../../model/personal-data.ts'
import type { NewRecord } from '../../model/record.ts'
import type { OpenJob } from './lane/open-job.ts'
import { hiddenRow, withRowOf } from './personal-data.ts'

const jobWith = (pii?: PiiMode) => ({ job: { spec: { ...(pii && { pii }) } } }) as OpenJob
const ann = { input: '{"owner":"ann@kestrel.example","sku":"0012"}' }
const bob = { input: '{"owner":"bob@kestrel.example","sku":"0013"}' }
const plain = { input: '{"sku":"0014"}' }

const record = (way: string | null = null): NewRecord => ({
  ...{ index: 0, data: '{}', provenance: null, finalUrl: 'https://a.example/', status: 200, fetchedAt: 1 },
  ...{ scraper: 'page@1', way },
})
const ownersOf = (records: NewRecord[], { input }: { input: string }) =>
  records.map(({ way }) => (JSON.parse(shownRow(input, way).input!) as { owner?: string }).owner)

test('the input row is masked as the job says, and the warning names the columns as in exports', () => {
  assert.equal(hiddenRow(jobWith(), ann), null)
  assert.equal(hiddenRow(jobWith('mask'), plain), null)
  assert.equal(hiddenRow(jobWith('mask'), { input: null }), null)
  const masked = hiddenRow(jobWith('mask'), ann)!
  assert.deepEqual(masked.row, { owner: 'a***@k***.example', sku: '0012' })
  assert.deepEqual([masked.warning.code, masked.warning.fields], ['personal-data.masked', ['_input.owner']])
  const dropped = hiddenRow(jobWith('drop'), ann)!
  assert.deepEqual([dropped.row.owner, dropped.warning.code], [null, 'personal-data.dropped'])
})

test('a reused record gets the masked input row of its new task, and its warning is about that row only', () => {
  const job = jobWith('mask')
  const first = withRowOf(
    job,
    ann,
    record('{"way":"browser","warnings":[{"code":"page.cut","message":"x"}]}'),
  )
  const second = withRowOf(job, bob, first)
  const third = withRowOf(job, plain, second)
  assert.deepEqual(ownersOf([first], ann), ['a***@k***.example'])
  assert.deepEqual(ownersOf([second], bob), ['b***@k***.example'])
  assert.deepEqual(ownersOf([third], plain), [undefined])
  const codes = (one: NewRecord) =>
    (JSON.parse(one.way!) as { warnings: Array<{ code: string }> }).warnings.map(({ code }) => code)
  assert.deepEqual(codes(second), ['page.cut', 'personal-data.masked'])
  assert.deepEqual(codes(third), ['page.cut'])
})

test('a record stays unchanged if the job keeps personal data', () => {
  const one = record()
  assert.equal(withRowOf(jobWith('keep'), ann, one), one)
})
