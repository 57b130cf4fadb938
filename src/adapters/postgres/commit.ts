// The group commit: all changes of a group of outcomes in one transaction, with two round trips and six statements.
import { RecentMap } from '../../lib/collections/recent-map.ts'
import type { Reason } from '../../model/task.ts'
import type { CommitGroup, CommitResult, Discovery } from '../../ports/store.ts'
import { keptDiscoveries } from '../valid-discoveries.ts'
import { enterTasks, namesOf } from './add-tasks.ts'
import type { BulkWrite } from './bulk-writes.ts'
import type { Database, Queries } from './database.ts'
import { Identities, identitiesOf } from './identities.ts'
import { type JobChanges, type LockedJob, lockJobs, writeJobs } from './job-changes.ts'
import { type Holders, readSeen } from './seen.ts'
import { heldTasks, type SettleReads, settleTasks } from './settle-tasks.ts'

/** Size of the cache of job numbers, which saves a round trip. */
const knownJobs = 10_000

export function groupCommit(database: Database): (group: CommitGroup) => Promise<CommitResult> {
  const numbers = new RecentMap<string, number>(knownJobs)
  return group =>
    writeJobs(database, async (queries, changes) => {
      const read = await readFirst(queries, group, numbers)
      const { kept, ...settled } = settleTasks(group, read.jobs, read, changes)
      const added = enterFound(keptDiscoveries(group, kept), read.jobs, read.holders, changes)
      saveHosts(group.hosts, changes)
      return { ...settled, added }
    })
}

/** Locks the jobs. Other reads are sent in the same round trip if all job numbers are cached. */
async function readFirst(queries: Queries, group: CommitGroup, numbers: RecentMap<string, number>) {
  const ids = new Set([...group.settlements, ...group.discovered].map(({ jobId }) => jobId))
  const locking = ids.size > 0 ? lockJobs(queries, ids) : Promise.resolve(new Map<string, LockedJob>())
  const guessed = new Map([...ids].map(id => [id, numbers.get(id)]))
  const reading = [...guessed.values()].includes(undefined) ? null : readRest(queries, group, guessed)
  const [jobs, read] = await Promise.all([locking, reading])
  const isRight = [...jobs].every(([id, { jobNo }]) => guessed.get(id) === jobNo)
  if (read && isRight) return { jobs, ...read }
  // A job number was not cached, or the job was deleted and created again with the same id. Read again with the numbers of
  // the locked rows.
  for (const [id, { jobNo }] of jobs) numbers.set(id, jobNo)
  const found = new Map([...jobs].map(([id, { jobNo }]) => [id, jobNo]))
  return { jobs, ...(await readRest(queries, group, found)) }
}

type JobNumbers = ReadonlyMap<string, number | undefined>

/** These reads are sent before the lock is confirmed. PostgreSQL runs the statements in order, so the results are read under the
 *  lock. */
async function readRest(
  queries: Queries,
  { settlements, discovered }: CommitGroup,
  numbers: JobNumbers,
): Promise<SettleReads & { holders: Holders }> {
  const known = ofKnown(settlements, numbers).map(({ jobNo, one }) => ({ jobNo, settlement: one }))
  const pages = known.filter(({ settlement }) => settlement.state === 'succeeded')
  const names = ofKnown(discovered, numbers).flatMap(({ jobNo, one }) => namesOf(jobNo, one.tasks))
  const [held, holders] = await Promise.all([
    heldTasks(queries, known),
    readSeen(queries, [...pages.flatMap(identitiesOf), ...names]),
  ])
  return { held, holders, identities: new Identities(holders) }
}

const ofKnown = <One extends { jobId: string }>(
  all: readonly One[],
  numbers: JobNumbers,
): Array<{ jobNo: number; one: One }> =>
  all.flatMap(one => {
    const jobNo = numbers.get(one.jobId)
    return jobNo === undefined ? [] : [{ jobNo, one }]
  })

/** Adds discovered tasks. Returns the number of new tasks per job and host. */
function enterFound(
  discovered: Discovery[],
  jobs: Map<string, LockedJob>,
  holders: Holders,
  changes: JobChanges,
): CommitResult['added'] {
  return [...Map.groupBy(discovered, ({ jobId }) => jobId)].flatMap(([jobId, own]) => {
    const job = jobs.get(jobId)
    if (!job) return []
    for (const { refused } of own) countRefused(job, refused, changes)
    const tasks = own.flatMap(one => one.tasks)
    const { hosts } = enterTasks(job, tasks, holders, changes)
    return [...hosts].map(([host, count]) => ({ jobId, host, count }))
  })
}

function countRefused({ jobNo }: LockedJob, refused: Discovery['refused'], changes: JobChanges): void {
  for (const [reason, count] of Object.entries(refused))
    changes.count(jobNo, `refused:${reason as Reason}`, count)
}

const hostStates = {
  name: 'states_of_hosts',
  columns: { host: 'text', state: 'text' },
  text: states =>
    `INSERT INTO host_states (host, state) SELECT host, state FROM ${states} ORDER BY host
     ON CONFLICT (host) DO UPDATE SET state = excluded.state`,
} satisfies BulkWrite

function saveHosts(hosts: CommitGroup['hosts'], changes: JobChanges): void {
  if (hosts.length === 0) return
  const latest = new Map(hosts.map(state => [state.host, { host: state.host, state: JSON.stringify(state) }]))
  changes.add(hostStates, [...latest.values()])
}
