// Tests that each row becomes at most one task, even after an interruption, and that every row is counted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import { openTestContext, type TestContext } from '../../../test/support/coordination.ts'
import { temporaryFile } from '../../../test/support/temporary-file.ts'
import { Failure } from '../../model/failures.ts'
import type { JobSpecInput } from '../../model/job.ts'
import { defineScraper } from '../../scraper/define-scraper.ts'
import type { RunningJob } from '../coordinate/running-job.ts'
import { ingestFailed, ingestLocally } from './ingest-job.ts'

async function ingest(
  here: TestContext,
  name: string,
  content: string,
  spec: JobSpecInput = {},
): Promise<RunningJob> {
  await using file = await temporaryFile(name, content)
  const running = await here.adopt(spec, { source: file.path })
  await ingestLocally(here.context, running)
  return running
}

const tasksOf = (here: TestContext, { id }: RunningJob) => here.context.store.tasks.list(id)
const rejectedOf = (here: TestContext, { id }: RunningJob) => here.context.store.tasks.rejected(id)

test('every line of a file becomes a task, a duplicate, a rejected row or a blank row', async () => {
  await using here = await openTestContext()
  const lines = [
    'https://a.example/',
    '',
    'https://a.example/#part',
    'nonsense',
    'http://127.0.0.1/',
    'https://b.example/ x',
    '# note',
  ]
  const running = await ingest(here, 'urls.txt', lines.join('\n'))
  const { rows, blank, rejected, duplicates, done } = running.job.ingest
  assert.deepEqual(
    { rows, blank, rejected, duplicates, done },
    { rows: 7, blank: 2, rejected: 3, duplicates: 1, done: true },
  )
  assert.deepEqual([running.open, running.ingesting], [1, false])
  const reasons = (await rejectedOf(here, running)).map(({ row, reason }) => [row, reason.split(':')[0]])
  assert.deepEqual(
    reasons.map(([row]) => row),
    [4, 5, 6],
  )
})

test('rows ingested before a kill are not read again, and the counts are the same as without the kill', async () => {
  await using here = await openTestContext()
  await using file = await temporaryFile(
    'urls.txt',
    'https://a.example/1\nbad\nhttps://a.example/2\nhttps://a.example/1\n',
  )
  const running = await here.adopt({}, { source: file.path })
  running.job.ingest = { ...running.job.ingest, rows: 2, rejected: 1 }
  await ingestLocally(here.context, running)
  assert.deepEqual(
    (await tasksOf(here, running)).map(({ url }) => url),
    ['https://a.example/2', 'https://a.example/1'],
  )
  assert.equal(running.job.ingest.rows, 4)
  assert.equal(running.job.ingest.rejected, 1)
})

test('a row with its own id is identified by this id, and the same row again is a duplicate', async () => {
  await using here = await openTestContext()
  const csv = 'item_id,url\na,https://a.example/\nb,https://a.example/\na,https://a.example/\n'
  const running = await ingest(here, 'items.csv', csv)
  assert.deepEqual(
    (await tasksOf(here, running)).map(({ itemId }) => itemId),
    ['a', 'b'],
  )
  assert.equal(running.job.ingest.duplicates, 1)
})

test('if another row has an id that is in use, it is rejected and listed', async () => {
  await using here = await openTestContext()
  const csv = 'item_id,url\na,https://a.example/1\na,https://a.example/2\n'
  const running = await ingest(here, 'items.csv', csv)
  assert.equal((await tasksOf(here, running)).length, 1)
  const [row] = await rejectedOf(here, running)
  assert.deepEqual([row?.row, row?.reason], [3, 'item_id "a" is already used by another row'])
})

test('a row with an id in use is rejected even if the first row was in an earlier batch', async () => {
  await using here = await openTestContext()
  const filler = Array.from({ length: 400 }, (_, index) => `x${index},https://a.example/x${index}\n`).join('')
  const running = await ingest(
    here,
    'items.csv',
    `item_id,url\na,https://a.example/1\n${filler}a,https://a.example/2\n`,
  )
  assert.equal(running.job.ingest.rejected, 1)
  assert.equal((await tasksOf(here, running)).length, 401)
})

test('ids that cannot name a folder, or that are reserved, are rejected', async () => {
  await using here = await openTestContext()
  const csv =
    'item_id,url\n../up,https://a.example/1\ntask-2,https://a.example/2\n,https://a.example/3\n7,https://a.example/4\n'
  const running = await ingest(here, 'items.csv', csv, { results: { layout: 'items' } })
  assert.deepEqual(
    (await tasksOf(here, running)).map(({ itemId }) => itemId),
    [null, '7'],
  )
  assert.equal(running.job.ingest.rejected, 2)
})

test('rows for a scraper are checked against its input schema', async () => {
  const parcels = defineScraper({
    id: 'parcels',
    input: z.object({ parcel: z.string().regex(/^\d+$/) }),
    run() {},
  })
  await using here = await openTestContext({ scrapers: [parcels] })
  const running = await ingest(here, 'rows.jsonl', '{"parcel":"12"}\n{"parcel":"x"}\n', {
    scraperId: 'parcels',
  })
  const [task, ...others] = await tasksOf(here, running)
  assert.deepEqual(
    [task?.host, task?.url, task?.input, others.length],
    ['~parcels', '', '{"parcel":"12"}', 0],
  )
  assert.match((await rejectedOf(here, running))[0]!.reason, /^parcel: /)
})

test('no more rows of a cancelled job are ingested', async () => {
  await using here = await openTestContext()
  await using file = await temporaryFile('urls.txt', 'https://a.example/1\n')
  const running = await here.adopt({}, { source: file.path })
  running.cancel()
  await ingestLocally(here.context, running)
  assert.deepEqual([running.ingesting, running.open, running.job.ingest.done], [false, 0, false])
})

test('if a job is stopped, the resumed job continues the ingestion', async () => {
  await using here = await openTestContext()
  await using file = await temporaryFile('urls.txt', 'https://a.example/1\n')
  const running = await here.adopt({}, { source: file.path })
  here.stop.abort()
  await ingestLocally(here.context, running)
  assert.deepEqual([running.ingesting, running.job.ingest.done], [true, false])
})

test('a broken source ends the ingestion; a full disk only interrupts it', async () => {
  await using here = await openTestContext()
  await using file = await temporaryFile('urls.txt', '')
  const running = await here.adopt({}, { source: file.path })
  await ingestFailed(here.context, running, new Failure('storage.full', 'the disk is full'))
  assert.deepEqual(
    [running.ingesting, running.storage.code, running.brokenSource],
    [true, 'storage.full', null],
  )
  await ingestFailed(here.context, running, new Failure('store.busy', 'busy'))
  assert.equal(running.ingesting, true)
  await ingestFailed(here.context, running, new Failure('input.invalid', 'urls.txt breaks off'))
  assert.deepEqual([running.ingesting, running.brokenSource], [false, 'urls.txt breaks off'])
})

test('ingestion stops early if all rows are invalid', async () => {
  await using here = await openTestContext()
  const reading = ingest(here, 'urls.txt', 'nonsense\n'.repeat(150_000))
  await assert.rejects(
    reading,
    /none of the first 1\d\d,\d{3} rows became a task, so the rest was not read; row 1: /,
  )
  await assert.rejects(ingest(here, 'none.txt', '\n'.repeat(150_000)), /not read; all of them are empty/)
})

test('ingestion continues after many rejected rows if one row became a task', async () => {
  await using here = await openTestContext()
  const running = await ingest(here, 'urls.txt', `https://a.example/\n${'nonsense\n'.repeat(120_000)}`)
  assert.deepEqual([running.open, running.job.ingest.rejected], [1, 120_000])
})
