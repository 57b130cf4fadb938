// Kills one process with all roles, at random times and at named fault points. The next process continues, and no work is lost or
// duplicated.
import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { type Hold, startTestSite, type TestSite } from '../site/index.ts'
import { type Ended, type Running, Workplace } from '../system/run-cli.ts'
import { expect, type Trial } from './fault.ts'

const pages = 60
const endWithinMs = 90_000

export interface Kill {
  env?: Record<string, string>
  afterMs?: number
  /** The process is killed when this promise resolves. */
  when?: Promise<void>
}

export const embeddedKilled: Trial = {
  id: 'F6',
  about: 'the only process is killed, and its job resumed',
  ways: ['at random'],
  async trial({ chance }) {
    await using site = await startTestSite()
    await using place = await Workplace.open({ warm: false })
    using hold = site.hold('/')
    // The first kill happens while the start page is fetched, the second at a random time.
    const kills = [{ when: hold.arrived() }, { afterMs: 250 + chance.fraction() * 900 }]
    try {
      await checkEnd(place, await crawlUntilDone(place, site, kills, () => leftLeases(place, hold)))
      return []
    } catch (error) {
      return [`kills ${JSON.stringify(kills)}: ${(error as Error).message}`]
    }
  },
}

/** If the store still has a lease, the process was killed while it worked. */
function leftLeases(place: Workplace, hold: Hold): void {
  using database = place.database()
  const { count } = database.prepare('SELECT count(*) AS count FROM leases').get() as { count: number }
  expect(count > 0, 'a lease of the process that was killed')
  hold.release()
}

export const flags = (site: TestSite) => [
  '--rate',
  'unlimited',
  '--concurrency',
  '4',
  '--allow-private',
  `${site.host}:${site.port}`,
  '--quiet',
]

/** `wasKilled` is called after the process was killed for the first time. */
export async function crawlUntilDone(
  place: Workplace,
  site: TestSite,
  kills: Kill[],
  wasKilled: () => void = () => {},
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
  for (const [index, { env, afterMs, when }] of kills.entries()) {
    const started = index > 0 && (await isAccepted(place))
    const running = place.start(started ? ['jobs', 'resume', 'chaos', ...flags(site)] : crawl, {
      ...(env && { env }),
    })
    if (afterMs !== undefined) void wait(afterMs).then(() => running.child.kill('SIGKILL'))
    void when?.then(() => running.child.kill('SIGKILL'))
    const ended = await withinLimit(running)
    if (ended.signal !== 'SIGKILL') return ended
    if (index === 0) wasKilled()
  }
  const resume = (await isAccepted(place)) ? ['jobs', 'resume', 'chaos', ...flags(site)] : crawl
  return withinLimit(place.start(resume))
}

/** Kills the process at the time limit, because a job that waits for a lost task never ends. */
async function withinLimit(running: Running): Promise<Ended> {
  let isLate = false
  const limit = setTimeout(() => {
    isLate = true
    running.child.kill('SIGKILL')
  }, endWithinMs)
  const ended = await running.ended
  clearTimeout(limit)
  if (isLate) throw new Error(`the crawl did not end within ${endWithinMs} ms:\n${ended.stderr}`)
  return ended
}

async function isAccepted(place: Workplace): Promise<boolean> {
  const { code } = await place.run(['jobs', 'show', 'chaos', '--json'])
  return code === 0
}

export function checkStore(place: Workplace): void {
  using database = place.database()
  const one = (sql: string) => Object.values(database.prepare(sql).get() as Record<string, unknown>)[0]
  assert.equal(one('PRAGMA integrity_check'), 'ok')
  assert.equal(one('SELECT count(*) FROM leases'), 0, 'a lease was left')
  assert.equal(
    one('SELECT count(*) - count(DISTINCT n * 1000 + idx) FROM records'),
    0,
    'a record exists twice',
  )
}

export async function checkEnd(place: Workplace, ended: Ended): Promise<void> {
  assert.equal(ended.code, 0, ended.stderr)
  const { counts } = JSON.parse((await place.run(['jobs', 'show', 'chaos', '--json'])).stdout)
  const { succeeded, failed, skipped, cancelled, pending, queued, in_progress } = counts.by_state
  assert.equal(pending + queued + in_progress, 0, 'a task has no end')
  assert.equal(succeeded + failed + skipped + cancelled, counts.tasks, 'a task was lost')
  const records = await place.records('out.jsonl')
  assert.equal(records.length, counts.records, 'the file has other records than the store')
  const lines = new Set(records.map(record => JSON.stringify(record)))
  assert.equal(lines.size, records.length, 'a record is in the file twice')
  assert.equal(new Set(records.map(record => record._page.task_id)).size, pages)
  checkStore(place)
}
