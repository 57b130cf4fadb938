// Kills the process at random and at named points, again and again, and checks that nothing is lost and nothing doubled.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startTestSite, type TestSite } from '../site/index.ts'
import { type Ended, Workplace } from './run-cli.ts'

const rounds = 20
const pages = 60

const killPoints = [
  'dispatch.after_claim:1',
  'dispatch.after_claim:3',
  'worker.after_store_before_commit:1',
  'worker.after_store_before_commit:3',
  'worker.after_commit:1',
  'worker.after_commit:4',
  'coord.mid_finalize:1',
  'coord.after_manifest_before_status:1',
] as const

/** Small numbers that look random and can be had again from the seed that a failure names. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const flags = (site: TestSite) => [
  '--rate',
  'unlimited',
  '--concurrency',
  '4',
  '--allow-private',
  `${site.host}:${site.port}`,
  '--quiet',
]

async function crawlUntilDone(
  place: Workplace,
  site: TestSite,
  kills: Array<{ env?: Record<string, string>; afterMs?: number }>,
): Promise<Ended> {
  const crawl = [
    'crawl',
    `${site.url}/`,
    ...flags(site),
    '--max-pages',
    String(pages),
    '-o',
    'out.jsonl',
    '--job',
    'chaos',
  ]
  for (const [index, { env, afterMs }] of kills.entries()) {
    const started = index > 0 && (await isAccepted(place))
    const running = place.start(started ? ['jobs', 'resume', 'chaos', ...flags(site)] : crawl, {
      ...(env && { env }),
    })
    if (afterMs !== undefined) void wait(afterMs).then(() => running.child.kill('SIGKILL'))
    const ended = await running.ended
    if (ended.signal !== 'SIGKILL') return ended
  }
  const resume = (await isAccepted(place)) ? ['jobs', 'resume', 'chaos', ...flags(site)] : crawl
  return place.run(resume)
}

async function isAccepted(place: Workplace): Promise<boolean> {
  const { code } = await place.run(['jobs', 'show', 'chaos', '--json'])
  return code === 0
}

function checkStore(place: Workplace): void {
  using database = place.database()
  const one = (sql: string) => Object.values(database.prepare(sql).get() as Record<string, unknown>)[0]
  assert.equal(one('PRAGMA integrity_check'), 'ok')
  assert.equal(one('SELECT count(*) FROM leases'), 0, 'a lease was left')
  assert.equal(
    one('SELECT count(*) - count(DISTINCT n * 1000 + idx) FROM records'),
    0,
    'a record is there twice',
  )
}

async function checkEnd(place: Workplace, ended: Ended): Promise<void> {
  assert.equal(ended.code, 0, ended.stderr)
  const { counts } = JSON.parse((await place.run(['jobs', 'show', 'chaos', '--json'])).stdout)
  const { succeeded, failed, skipped, cancelled, pending, queued, in_progress } = counts.by_state
  assert.equal(pending + queued + in_progress, 0, 'a task has no end')
  assert.equal(succeeded + failed + skipped + cancelled, counts.tasks, 'a task was lost')
  const records = await place.records('out.jsonl')
  assert.equal(records.length, counts.records, 'the file holds other records than the store')
  const lines = new Set(records.map(record => JSON.stringify(record)))
  assert.equal(lines.size, records.length, 'a record is in the file twice')
  assert.equal(new Set(records.map(record => record._page.task_id)).size, pages)
  checkStore(place)
}

for (const point of killPoints) {
  test(`a crawl that is killed at ${point} is completed by a resume, each record once`, async () => {
    await using site = await startTestSite()
    await using place = await Workplace.open()
    await checkEnd(place, await crawlUntilDone(place, site, [{ env: { KILLPOINT: point } }]))
  })
}

for (const point of ['ingest.mid_batch:1', 'ingest.mid_batch:2']) {
  test(`a list that is killed at ${point} is read on where it stopped, each row once`, async () => {
    await using site = await startTestSite()
    await using place = await Workplace.open()
    const rows = Array.from({ length: 900 }, (_, n) => `${site.url}/leaf/${n}`)
    await writeFile(place.file('urls.txt'), rows.join('\n'))
    const list = ['run', 'urls.txt', ...flags(site), '-o', 'out.jsonl', '--job', 'chaos']
    assert.equal((await place.run(list, { env: { KILLPOINT: point } })).signal, 'SIGKILL')

    const { code, stderr } = await place.run(['jobs', 'resume', 'chaos', ...flags(site)])

    assert.equal(code, 0, stderr)
    const records = await place.records('out.jsonl')
    assert.deepEqual(records.map(record => record._page.url as string).sort(), rows.sort())
    checkStore(place)
  })
}

test(`${rounds} kills at random moments lose nothing and double nothing`, async () => {
  const seed = Date.now() % 1_000_000
  const random = randomFrom(seed)
  await using site = await startTestSite()
  let left = rounds
  while (left > 0) {
    await using place = await Workplace.open()
    // Not five in a row for one job: a task that is in flight each time would rightly be taken for poison.
    const kills = Array.from({ length: Math.min(4, left) }, () => ({ afterMs: 250 + random() * 900 }))
    left -= kills.length
    const ended = await crawlUntilDone(place, site, kills)
    await checkEnd(place, ended).catch(error => {
      throw new Error(`seed ${seed}, kills ${JSON.stringify(kills)}: ${(error as Error).message}`, {
        cause: error,
      })
    })
  }
})
