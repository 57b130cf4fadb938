// Tests views for BI tools: they show records as rows with typed columns, whatever the records contain.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { migratePostgres, openPostgresStore } from '../../src/adapters/postgres/open.ts'
import { openRecordViews, plainName, typeOf } from '../../src/adapters/postgres/record-views.ts'
import { systemClock } from '../../src/lib/clocks.ts'
import type { RecordData } from '../../src/model/record.ts'
import type { Store } from '../../src/ports/store.ts'
import { startPostgres, type TestPostgres } from '../support/services/postgres.ts'
import { claim, newJob, newRecord, newTasks, settle, settlementOf } from './store/fixtures.ts'

let postgres: TestPostgres
let url: string
let store: Store
let sql: pg.Client
before(async () => {
  postgres = await startPostgres()
  url = await postgres.freshUrl()
  await migratePostgres(url)
  store = await openPostgresStore({ url, clock: systemClock, connections: 2 })
  sql = new pg.Client({ connectionString: url })
  await sql.connect()
})
after(async () => {
  await sql.end()
  await store[Symbol.asyncDispose]()
  await postgres[Symbol.asyncDispose]()
})

const rows = async (text: string) => (await sql.query(text)).rows

/** Creates a job with one task for each of these records. */
async function jobWith(id: string, records: Array<RecordData | string>, scraper = 'page@1'): Promise<void> {
  await store.jobs.create(newJob(id), newTasks(records.length))
  await store.jobs.move(id, ['pending'], 'running')
  const tasks = await claim(store, systemClock, { jobId: id })
  const settlements = tasks.map((task, index) => {
    const given = records[index]!
    const data = typeof given === 'string' ? given : JSON.stringify(given)
    return settlementOf(task, { records: [newRecord(0, { data, scraper, fetchedAt: 1_700_000_000_000 })] })
  })
  await settle(store, ...settlements)
}

test('a view has a typed column for each field, in the order of the records', async () => {
  await jobWith('shop', [
    {
      title: 'A',
      price: 10,
      stock: 3,
      sale: true,
      at: '2024-05-01T10:00:00Z',
      day: '2024-05-01',
      tags: ['x'],
    },
    {
      title: 'B',
      price: 19.99,
      stock: null,
      sale: false,
      at: '2024-06-01T10:00:00+02:00',
      day: null,
      tags: {},
    },
  ])
  await using views = await openRecordViews(url)
  const { name, columns } = await views.create({ of: 'job', jobId: 'shop' })
  assert.equal(name, 'bi_job_shop')
  assert.deepEqual(Object.fromEntries(columns.map(column => [column.name, column.type])), {
    ...{ title: 'text', price: 'numeric', stock: 'bigint', sale: 'boolean', at: 'timestamptz', day: 'date' },
    tags: 'jsonb',
  })
  assert.deepEqual((await views.list())[0]?.columns, columns)
  const [row] =
    await rows(`SELECT sum(price) AS total, max(at) AS latest, count(*) FILTER (WHERE sale) AS sales,
    min(_fetched_at) AS fetched, min(_url) AS url FROM bi_job_shop`)
  assert.deepEqual(row, {
    ...{ total: '29.99', latest: new Date('2024-06-01T08:00:00Z'), sales: '1' },
    ...{ fetched: new Date(1_700_000_000_000), url: 'https://shop.example/1' },
  })
})

test('a value that does not fit the type of its column is NULL in the view, and breaks no query', async () => {
  await jobWith('odd', [{ price: 1, at: '2024-05-01T10:00:00Z', ok: true }])
  await using views = await openRecordViews(url)
  await views.create({ of: 'job', jobId: 'odd' })
  const { job_no } = (await rows(`SELECT job_no FROM jobs WHERE id = 'odd'`))[0]!
  for (const data of [
    '{"price":"n/a","at":"2024-99-99T10:00:00Z","ok":"yes"}',
    '{"price":1e30,"at":7,"ok":null}',
    // A record that an older version may have stored: it has half of a surrogate pair.
    String.raw`{"price":2,"at":"\ud83d","ok":false}`,
  ])
    await sql.query(
      `INSERT INTO records (job_no, n, idx, status, fetched_at, scraper, final_url, data)
       VALUES ($1, 1, (SELECT max(idx) + 1 FROM records WHERE job_no = $1), 200, 0, 'page@1', '', $2)`,
      [job_no, data],
    )
  const found = await rows('SELECT price, at, ok FROM bi_job_odd ORDER BY _index')
  assert.deepEqual(
    found,
    [
      { price: 1, at: new Date('2024-05-01T10:00:00Z'), ok: true },
      ...Array.from({ length: 3 }, () => ({ price: null, at: null, ok: null })),
    ].map(row => ({ ...row, price: row.price === null ? null : String(row.price) })),
  )
  assert.equal((await rows(`SELECT count(data) AS n FROM bi_records WHERE job_id = 'odd'`))[0]?.n, '3')
})

test('text that PostgreSQL’s jsonb refuses is repaired when a record is stored', async () => {
  await jobWith('halves', [String.raw`{"a\ud83d":["x\ud83d","y\u0000z"],"b":"\\ud83d"}`])
  const [row] = await rows(`SELECT data FROM bi_records WHERE job_id = 'halves'`)
  assert.deepEqual(row?.data, { 'a\ufffd': ['x\ufffd', 'yz'], b: '\\ud83d' })
})

test('a scraper has one view over all its jobs, and readers keep their grants when the view is recreated', async () => {
  await sql.query('CREATE ROLE dashboards')
  await jobWith('one', [{ parcel: '1' }], 'tax@1')
  await jobWith('two', [{ parcel: '2', owner: 'B' }], 'tax@2')
  await using views = await openRecordViews(url)
  const subject = { of: 'scraper', scraperId: 'tax', workspace: null } as const
  const { name } = await views.create(subject, { readers: ['dashboards'] })
  await views.create(subject)
  const may = `SELECT has_table_privilege('dashboards', '${name}', 'SELECT') AS reads,
    has_table_privilege('kscrape_guarded', '${name}', 'SELECT') AS callers`
  assert.deepEqual((await rows(may))[0], { reads: true, callers: false })
  assert.deepEqual(await rows(`SELECT parcel, owner, _job_id FROM ${name} ORDER BY parcel`), [
    { parcel: '1', owner: null, _job_id: 'one' },
    { parcel: '2', owner: 'B', _job_id: 'two' },
  ])
  assert.equal(await views.drop(name), true)
  assert.equal(await views.drop(name), false)
})

test('jobs whose ids differ only in special characters have separate views, and a job without records has no view', async () => {
  await jobWith('a-b', [{ x: 1 }])
  await jobWith('a.b', [{ x: 2 }])
  await using views = await openRecordViews(url)
  const names = [
    (await views.create({ of: 'job', jobId: 'a-b' })).name,
    (await views.create({ of: 'job', jobId: 'a.b' })).name,
    (await views.create({ of: 'job', jobId: 'a-b' })).name,
  ]
  assert.equal(names[0], 'bi_job_a_b')
  assert.match(names[1]!, /^bi_job_a_b_[0-9a-f]{8}$/)
  assert.equal(names[2], names[0])
  await assert.rejects(views.create({ of: 'job', jobId: 'none' }), { message: /none has no records/ })
})

test('a view that other views depend on is not replaced, and the error says why', async () => {
  await jobWith('base', [{ x: 1 }])
  await using views = await openRecordViews(url)
  await views.create({ of: 'job', jobId: 'base' })
  await sql.query('CREATE VIEW mine AS SELECT x FROM bi_job_base')
  await assert.rejects(views.create({ of: 'job', jobId: 'base' }), { message: /depend on it/ })
})

test('jobs, tasks and attempts have views with timestamps', async () => {
  await jobWith('times', [{ x: 1 }])
  const [job] = await rows(`SELECT created_at, scraper_id FROM bi_jobs WHERE job_id = 'times'`)
  assert.deepEqual(job, { created_at: new Date(1_000), scraper_id: 'page' })
  const [attempt] =
    await rows(`SELECT t.state, a.started_at FROM bi_tasks t JOIN bi_attempts a USING (job_id, task)
    WHERE job_id = 'times'`)
  assert.deepEqual(attempt, { state: 'succeeded', started_at: new Date(4_000) })
})

test('the type of a column fits every kind of value that its field has had', () => {
  assert.equal(typeOf(['integer', 'null']), 'bigint')
  assert.equal(typeOf(['number', 'integer']), 'numeric')
  assert.equal(typeOf(['time', 'date']), 'timestamptz')
  assert.equal(typeOf(['text', 'integer']), 'jsonb')
  assert.equal(typeOf(['null']), 'text')
})

test('names of views are short enough for PostgreSQL', () => {
  assert.ok(plainName({ of: 'job', jobId: 'x'.repeat(128) }).length <= 63)
})
