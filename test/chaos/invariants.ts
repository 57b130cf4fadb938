// Checks the invariants that must hold after every fault. Each check reads the store, the streams, the bucket or the sites, and
// returns its violations.
import { hasEnded } from '../../src/model/job.ts'
import { until } from '../support/cluster.ts'
import { gapMs, type Rig, type Work } from './rig.ts'

/** The shortest allowed time for two gaps. Requests may be 5 % closer together than the policy requires, and seem even closer if
 *  this process measured one of them late. */
const leastBothMs = ({ lateMs }: Rig): number => 2 * gapMs * 0.95 - Math.min(lateMs(), gapMs / 2)
/** A time limit, because the cleanup runs in the background. */
const settleWithinMs = 15_000

export interface Expected {
  /** The allowed requests for one page: one, plus one for each worker that died with the page or lost its lease. */
  mostRequests: number
}

export async function whatIsWrong(rig: Rig, work: Work, expected: Expected): Promise<string[]> {
  await ended(rig, work)
  const found = await Promise.all([
    ...work.jobs.map(jobId => tasksOf(rig, jobId)),
    ...work.jobs.map(jobId => recordsOf(rig, jobId)),
    leases(rig),
    eventually(rig, () => streams(rig)),
    eventually(rig, () => objects(rig)),
    eventually(rig, () => webhooks(rig, work)),
    requests(rig, expected),
    politeness(rig),
  ])
  const fresh = found.map(wrong => wrong.filter(one => !rig.told.has(one)))
  for (const one of fresh.flat()) rig.told.add(one)
  return fresh.flatMap(some)
}

const mostTold = 4

function some(wrong: string[]): string[] {
  const more = wrong.length - mostTold
  return more > 0 ? [...wrong.slice(0, mostTold), `… and ${more} more`] : wrong
}

async function ended(rig: Rig, { jobs }: Work): Promise<void> {
  for (const jobId of jobs) await rig.ended(jobId)
}

/** The number of ended tasks must equal the number of accepted tasks, both in the rows and in the counters. */
async function tasksOf({ cluster }: Rig, jobId: string): Promise<string[]> {
  const job = await cluster.store.jobs.get(jobId)
  const counts = await cluster.store.jobs.counts(jobId)
  const rows = await cluster.sql<{ state: string; count: string }>(
    'SELECT t.state, count(*) FROM tasks t JOIN jobs j USING (job_no) WHERE j.id = $1 GROUP BY t.state',
    jobId,
  )
  const wrong: string[] = []
  if (!job || !hasEnded(job.state)) wrong.push(`job ${jobId} is ${job?.state}`)
  if (job?.state !== 'completed')
    wrong.push(`job ${jobId} ended as ${job?.state}: ${JSON.stringify(counts.byState)}`)
  for (const { state, count } of rows)
    if (counts.byState[state as 'succeeded'] !== Number(count))
      wrong.push(`job ${jobId} counts ${counts.byState[state as 'succeeded']} as ${state}, and has ${count}`)
  const sum = rows.reduce((total, { count }) => total + Number(count), 0)
  if (sum !== counts.tasks) wrong.push(`job ${jobId} accepted ${counts.tasks} tasks and has ${sum}`)
  return wrong
}

/** Each page must have one record, and an attempt that names where the page is stored. */
async function recordsOf({ cluster }: Rig, jobId: string): Promise<string[]> {
  const rows = await cluster.sql<{ url: string; records: string; done: string }>(
    `SELECT t.url,
       (SELECT count(*) FROM records r WHERE r.job_no = t.job_no AND r.n = t.n) AS records,
       (SELECT count(*) FROM attempts a WHERE a.job_no = t.job_no AND a.n = t.n AND a.outcome = 'ok') AS done
     FROM tasks t JOIN jobs j USING (job_no) WHERE j.id = $1 AND t.state = 'succeeded'`,
    jobId,
  )
  const bad = rows.filter(({ records, done }) => records !== '1' || done !== '1')
  return bad.map(({ url, records, done }) => `${url} has ${records} records of ${done} successful attempts`)
}

async function leases({ cluster }: Rig): Promise<string[]> {
  const held = await cluster.sql<{ url: string; owner: string }>(
    'SELECT url, owner FROM tasks WHERE owner IS NOT NULL LIMIT 5',
  )
  return held.map(({ url, owner }) => `${url} is still leased to ${owner}`)
}

/** No message may be queued or leased when no work is left. */
async function streams(rig: Rig): Promise<string[]> {
  return rig.redis(async redis => {
    const keys = (await redis.keys('*')) as string[]
    const types = await Promise.all(keys.map(key => redis.type(key)))
    const found = keys.filter((_, at) => types[at] === 'stream')
    const lengths = await Promise.all(found.map(key => redis.xLen(key)))
    return found.flatMap((key, at) => (lengths[at] === 0 ? [] : [`${key} holds ${lengths[at]} messages`]))
  })
}

/** The bucket must match the store: every page has its object, and every object has a page. */
async function objects({ cluster, blobs }: Rig): Promise<string[]> {
  const rows = await cluster.sql<{ key: string; bytes: string }>(
    `SELECT raw_key AS key, max(raw_offset + raw_length) AS bytes FROM attempts WHERE raw_key IS NOT NULL GROUP BY raw_key`,
  )
  const known = new Map(rows.map(({ key, bytes }) => [key, Number(bytes)]))
  const there = new Map<string, number>()
  for await (const { key, bytes } of blobs.list('jobs/'))
    if (key.includes('/segments/')) there.set(key, bytes)
  const missing = [...known].filter(([key, bytes]) => (there.get(key) ?? -1) < bytes)
  const orphans = [...there.keys()].filter(key => !known.has(key))
  return [
    ...missing.map(([key, bytes]) => `${key} should hold ${bytes} bytes and has ${there.get(key) ?? 'none'}`),
    ...orphans.map(key => `${key} belongs to no attempt`),
  ]
}

/** The end of each job must have sent its webhook, always with the same id. */
async function webhooks({ receiver }: Rig, { jobs }: Work): Promise<string[]> {
  return jobs.flatMap(jobId => {
    const told = receiver.received.filter(({ body }) => body.includes(jobId))
    const ids = new Set(told.map(({ headers }) => headers['webhook-id']))
    return ids.size === 1 ? [] : [`the end of job ${jobId} was sent under ${ids.size} ids`]
  })
}

async function requests({ site, pages }: Rig, { mostRequests }: Expected): Promise<string[]> {
  const counts = new Map<string, number>()
  for (const { url } of site.requests) counts.set(url, (counts.get(url) ?? 0) + 1)
  const often = [...counts].filter(([url, count]) => url.startsWith('/page/') && count > mostRequests)
  const asked = [...counts.keys()].filter(url => url.startsWith('/page/')).length
  return [
    ...often.map(([url, count]) => `${url} was requested ${count} times`),
    ...(asked === pages ? [] : [`${asked} of ${pages} pages were requested`]),
  ]
}

/**
 * Compares the requests with the policy, as the server saw them. If the server sees one request late, the gap before it is long and the
 * gap after it is short, so two gaps are checked together. A request that should not exist makes both gaps short.
 */
async function politeness(rig: Rig): Promise<string[]> {
  const [times = []] = (await rig.polite.read()).values()
  const gaps = times.slice(1).map((at, index) => at - times[index]!)
  const least = leastBothMs(rig)
  return gaps.flatMap((gap, at) => {
    const both = gap + (gaps[at + 1] ?? gapMs)
    if (both >= least && gap >= gapMs / 3) return []
    return [
      `the polite site was requested again after ${gap.toFixed(3)} ms, and after ${both.toFixed(3)}: ${gapMs} are required`,
    ]
  })
}

async function eventually({ told }: Rig, look: () => Promise<string[]>): Promise<string[]> {
  let wrong: string[] = []
  const isRight = async () => {
    wrong = await look()
    return wrong.every(one => told.has(one))
  }
  await until('the violations to disappear', isRight, settleWithinMs).catch(() => {})
  return wrong
}
