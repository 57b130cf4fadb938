// F36: tests files that are broken, full of bad rows, or one endless line, and a service that is killed while it reads a file.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { found } from '../../support/eventually.ts'
import { type Answer, type Ask, operatorKey, TestService } from '../../support/service.ts'
import { type Running, Workplace } from '../run-cli.ts'

type AskService = <Body>(path: string, ask?: Ask) => Promise<Answer<Body>>

interface Status {
  status: string
  reason: string | null
  counts: { tasks: number }
  ingest: { done: boolean; rows: number; blank: number; rejected: number; duplicates: number }
}

interface Rejected {
  rows: Array<{ row: number; text: string; reason: string }>
  next_cursor: string | null
}

/** The memory of the process after a garbage collection. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc()')
  return process.memoryUsage.rss()
}

/** Almost no page is fetched, because these tests are only about rows. */
const slowly = { policy: { host: { rate: 0.001 } } }

const { lines: badLines } = JSON.parse(
  readFileSync(new URL('../../vectors/bad-inputs/urllist-bad-lines.json', import.meta.url), 'utf8'),
) as { lines: string[] }

const manyLines = Array.from(
  { length: 30_000 },
  (_, index) => badLines[index % 400] ?? `http://a.example/${index}`,
)

async function sendFile(ask: AskService, fileName: string, content: string | Uint8Array) {
  const { body } = await ask<{ upload_id: string; upload_url: string }>('/uploads', {
    body: { file_name: fileName },
  })
  const { status } = await fetch(body.upload_url, { method: 'PUT', body: content as BodyInit })
  assert.equal(status, 200)
  return body
}

async function submitFile(ask: AskService, fileName: string, content: string | Uint8Array): Promise<string> {
  const { upload_id: id } = await sendFile(ask, fileName, content)
  const job = await ask<{ job_id: string }>('/jobs', { body: { upload_id: id, ...slowly } })
  assert.equal(job.status, 202, job.text)
  return job.body.job_id
}

async function rowsRead(ask: AskService, jobId: string): Promise<Status> {
  return found(
    `the rows of ${jobId}`,
    async () => {
      const { body, status, text } = await ask<Status>(`/jobs/${jobId}/status`)
      assert.equal(status, 200, text)
      const isOver = body.ingest.done || ['failed', 'partially_completed', 'completed'].includes(body.status)
      return isOver ? body : undefined
    },
    300_000,
  )
}

async function allRejected(ask: AskService, jobId: string): Promise<Rejected['rows']> {
  const rows: Rejected['rows'] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Rejected = (
      await ask<Rejected>(`/jobs/${jobId}/rejected?limit=1000${cursor && `&cursor=${cursor}`}`)
    ).body
    rows.push(...page.rows)
    cursor = page.next_cursor
  }
  return rows
}

/** Asserts that every row is a task, a duplicate, rejected or blank, and that rejected rows are listed with line and reason. */
async function assertAddsUp(ask: AskService, jobId: string, lines: string[]): Promise<void> {
  const { counts, ingest } = await rowsRead(ask, jobId)
  assert.equal(ingest.rows, lines.length)
  assert.equal(counts.tasks + ingest.duplicates + ingest.rejected + ingest.blank, lines.length)
  const urls = new Set(lines.filter(line => /^http:\/\/a\.example\/\d+$/.test(line)))
  assert.ok(counts.tasks >= urls.size)
  const rejected = await allRejected(ask, jobId)
  assert.equal(rejected.length, ingest.rejected)
  for (const { row, text, reason } of rejected) {
    assert.equal(text, lines[row - 1]?.trim())
    assert.ok(reason.length > 5 && text.length <= 200)
  }
  assert.ok(rejected.some(({ text }) => text === 'http://127.0.0.1/'))
}

describe('ingest of an upload', () => {
  let service: TestService
  const ask: AskService = (path, given) => service.ask(path, given)
  before(async () => {
    service = await TestService.open({ settings: { minFreeBytes: 0 } })
  })
  after(() => service?.[Symbol.asyncDispose]())

  test('in a file with 30,000 good and bad lines, every line becomes a task or is listed as rejected', async () => {
    const jobId = await submitFile(ask, 'urls.txt.gz', gzipSync(manyLines.join('\n')))
    await assertAddsUp(ask, jobId, manyLines)
    await ask(`/jobs/${jobId}/cancel`, { method: 'POST' })
  })

  test('if a compressed file is truncated, the rows before the end run, and the job shows the error', async () => {
    const whole = gzipSync(
      Array.from({ length: 20_000 }, (_, n) => `http://a.example/${n * 7919}`).join('\n'),
    )
    const { engine } = service.service
    const said = new Promise<string>(resolve => {
      engine.listen((name, event) => {
        if (name === 'notice.given') resolve((event as { message: string }).message)
      })
    })
    const jobId = await submitFile(ask, 'urls.txt.gz', whole.subarray(0, whole.length / 2))
    assert.match(await said, /urls\.txt\.gz can't be read to its end: unexpected end of file/)
    const { body } = await ask<Status>(`/jobs/${jobId}/status`)
    assert.ok(body.ingest.rows > 1_000 && body.counts.tasks === body.ingest.rows)
    await ask(`/jobs/${jobId}/cancel`, { method: 'POST' })
  })

  test('a file that is named .gz but is not compressed is read as plain', async () => {
    const jobId = await submitFile(ask, 'urls.txt.gz', 'http://a.example/1\n')
    assert.equal((await rowsRead(ask, jobId)).counts.tasks, 1)
    await ask(`/jobs/${jobId}/cancel`, { method: 'POST' })
  })

  test('a line of a quarter of a gigabyte is one bad row, and is not held in memory', async () => {
    // The line has some random bytes, because a file that compresses too well is refused as a whole.
    const block = Buffer.alloc(64 * 1_024, 'x')
    block.write(randomBytes(500).toString('hex'))
    const part = gzipSync(Buffer.concat(Array.from({ length: 1_024 }, () => block)), { level: 1 })
    const content = Buffer.concat([
      ...Array.from({ length: 4 }, () => part),
      gzipSync('\nhttp://a.example/last\n'),
    ])
    const before = heldBytes()
    const jobId = await submitFile(ask, 'urls.txt', content)
    const read = await rowsRead(ask, jobId)
    const { counts, ingest } = read
    assert.deepEqual([ingest.rows, ingest.rejected, counts.tasks], [2, 1, 1], JSON.stringify(read))
    const [row] = await allRejected(ask, jobId)
    assert.ok(row?.row === 1 && /longer than 1,000,000 characters/.test(row.reason))
    assert.ok(heldBytes() - before < 192 * 1_024 * 1_024)
    await ask(`/jobs/${jobId}/cancel`, { method: 'POST' })
  })

  test('submitting a job does not wait until its rows are ingested', async () => {
    const body = await sendFile(ask, 'urls.txt', manyLines.join('\n'))
    const job = await ask<{ job_id: string }>('/jobs', { body: { upload_id: body.upload_id, ...slowly } })
    const { body: status } = await ask<Status>(`/jobs/${job.body.job_id}/status`)
    assert.ok(status.ingest.rows < manyLines.length)
    // A file that a job is reading cannot be deleted.
    const gone = await ask(`/uploads/${body.upload_id}`, { method: 'DELETE' })
    assert.equal(gone.status, 409)
    await rowsRead(ask, job.body.job_id)
    assert.equal((await ask(`/uploads/${body.upload_id}`, { method: 'DELETE' })).status, 200)
    await ask(`/jobs/${job.body.job_id}/cancel`, { method: 'POST' })
  })
})

/** Starts the real program, which the test calls over its port. */
async function serve(
  place: Workplace,
  env: Record<string, string> = {},
): Promise<{ running: Running; ask: AskService }> {
  const running = place.start(['serve', '--port', '0', '--json'], {
    env: { SCRAPER_API_KEY: operatorKey, SCRAPER_MIN_FREE_BYTES: '0', ...env },
  })
  const url = await new Promise<string>(resolve => {
    running.child.stderr?.on('data', () => {
      const told = /"url":"([^"]+)"/.exec(running.stderr())?.[1]
      if (told) resolve(told)
    })
  })
  const ask: AskService = async (path, given = {}) => {
    const answer = await fetch(`${url}${path}`, {
      method: given.method ?? (given.body === undefined ? 'GET' : 'POST'),
      headers: { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/json' },
      ...(given.body !== undefined && { body: JSON.stringify(given.body) }),
    })
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) }
  }
  return { running, ask }
}

test('if a service is killed while it ingests a file, it continues after a restart, and no row is lost or duplicated', async () => {
  await using place = await Workplace.open()
  let jobId = ''
  for (const point of ['ingest.mid_batch:1', 'ingest.mid_batch:3']) {
    const { running, ask } = await serve(place, { KILLPOINT: point })
    if (jobId === '') jobId = await submitFile(ask, 'urls.txt', manyLines.join('\n'))
    assert.equal((await running.ended).signal, 'SIGKILL')
  }
  const { running, ask } = await serve(place)
  await assertAddsUp(ask, jobId, manyLines)
  running.child.kill('SIGTERM')
  await running.ended
})
