// The group commit: everything a batch of outcomes changes, in one transaction of two round trips.
import { RecentMap } from '../../lib/recent-map.ts'
import type { NewTask, Reason } from '../../model/task.ts'
import type { CommitGroup, CommitResult, Discovery } from '../../ports/store.ts'
import { enterTasks, unseen } from './add-tasks.ts'
import type { Database, Queries, Transaction } from './database.ts'
import { type JobChanges, type LockedJob, lockJobs, writeJobs } from './job-changes.ts'
import { rowsTable } from './rows.ts'
import { readForSettling, settleTasks } from './settle-tasks.ts'

/** Jobs whose numbers are remembered: asking for them first would be a round trip more. */
const knownJobs = 10_000

export function groupCommit(database: Database): (group: CommitGroup) => Promise<CommitResult> {
  const numbers = new RecentMap<string, number>(knownJobs)
  return group =>
    writeJobs(database, async (queries, changes) => {
      const read = await readFirst(queries, group, numbers)
      const settled = settleTasks(queries, group, read.jobs, read, changes)
      const added = read.found.flatMap(found => enterFound(queries, found, read.jobs, changes))
      saveHosts(queries, group.hosts)
      return { ...settled, added }
    })
}

/** The jobs are held first; the other questions are on their way meanwhile, and answered after that. */
async function readFirst(queries: Queries, group: CommitGroup, numbers: RecentMap<string, number>) {
  const ids = new Set([...group.settlements, ...group.discovered].map(({ jobId }) => jobId))
  const locking = ids.size > 0 ? lockJobs(queries, ids) : Promise.resolve(new Map<string, LockedJob>())
  const guessed = new Map([...ids].map(id => [id, numbers.get(id)]))
  const reading = [...guessed.values()].includes(undefined) ? null : readRest(queries, group, guessed)
  const [jobs, read] = await Promise.all([locking, reading])
  const isRight = [...jobs].every(([id, { jobNo }]) => guessed.get(id) === jobNo)
  if (read && isRight) return { jobs, ...read }
  // New to us, or deleted and made anew under the same name.
  for (const [id, { jobNo }] of jobs) numbers.set(id, jobNo)
  const found = new Map([...jobs].map(([id, { jobNo }]) => [id, jobNo]))
  return { jobs, ...(await readRest(queries, group, found)) }
}

async function readRest(
  queries: Queries,
  { settlements, discovered }: CommitGroup,
  numbers: ReadonlyMap<string, number | undefined>,
) {
  const [settling, found] = await Promise.all([
    readForSettling(queries, settlements, numbers),
    readFound(queries, discovered, numbers),
  ])
  return { found, ...settling }
}

/** What a job's pages led to, and what of it is new. */
interface Found {
  jobId: string
  asked: number
  fresh: NewTask[]
  refused: Discovery['refused'][]
}

function readFound(
  queries: Queries,
  discovered: Discovery[],
  numbers: ReadonlyMap<string, number | undefined>,
): Promise<Found[]> {
  const known = Map.groupBy(discovered, ({ jobId }) => jobId)
  return Promise.all(
    [...known].map(async ([jobId, own]): Promise<Found> => {
      const tasks = own.flatMap(one => one.tasks)
      const jobNo = numbers.get(jobId)
      const fresh = jobNo === undefined ? [] : await unseen(queries, jobNo, tasks)
      return { jobId, asked: tasks.length, fresh, refused: own.map(({ refused }) => refused) }
    }),
  )
}

/** Adds what was found; says how much of it was new, per host. */
function enterFound(
  queries: Transaction,
  found: Found,
  jobs: Map<string, LockedJob>,
  changes: JobChanges,
): CommitResult['added'] {
  const { jobId } = found
  const job = jobs.get(jobId)
  if (!job) return []
  for (const refused of found.refused)
    for (const [reason, count] of Object.entries(refused))
      changes.count(job.jobNo, `refused:${reason as Reason}`, count)
  const { hosts } = enterTasks(queries, job, found, changes)
  return [...hosts].map(([host, count]) => ({ jobId, host, count }))
}

function saveHosts(queries: Transaction, hosts: CommitGroup['hosts']): void {
  if (hosts.length === 0) return
  const latest = new Map(hosts.map(state => [state.host, { host: state.host, state: JSON.stringify(state) }]))
  const rows = rowsTable('r', { host: 'text', state: 'text' }, [...latest.values()])
  queries.send(
    `INSERT INTO host_states (host, state) SELECT host, state FROM ${rows.sql} ORDER BY host
     ON CONFLICT (host) DO UPDATE SET state = excluded.state`,
    ...rows.values,
  )
}
