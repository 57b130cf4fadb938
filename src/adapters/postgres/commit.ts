// The group commit: everything a batch of outcomes changes, in one transaction of a dozen statements.
import type { Reason } from '../../model/task.ts'
import type { CommitGroup, CommitResult, Discovery } from '../../ports/store.ts'
import { addTasks } from './add-tasks.ts'
import type { Database, Queries } from './database.ts'
import { type JobChanges, type LockedJob, lockJobs, writeJobs } from './job-changes.ts'
import { rowsTable } from './rows.ts'
import { settleTasks } from './settle-tasks.ts'

export function groupCommit(database: Database): (group: CommitGroup) => Promise<CommitResult> {
  return group =>
    writeJobs(database, async (queries, changes) => {
      const ids = [...group.settlements, ...group.discovered].map(({ jobId }) => jobId)
      const jobs = ids.length > 0 ? await lockJobs(queries, ids) : new Map<string, LockedJob>()
      const settled = await settleTasks(queries, group, jobs, changes)
      const added = await discover(queries, group.discovered, jobs, changes)
      await saveHosts(queries, group.hosts)
      return { ...settled, added }
    })
}

/** Adds what was found; says how much of it was new, per job and host. */
async function discover(
  queries: Queries,
  discovered: Discovery[],
  jobs: Map<string, LockedJob>,
  changes: JobChanges,
): Promise<CommitResult['added']> {
  const added: CommitResult['added'] = []
  for (const [jobId, found] of Map.groupBy(discovered, ({ jobId }) => jobId)) {
    const job = jobs.get(jobId)
    if (!job) continue
    const tasks = found.flatMap(({ tasks }) => tasks)
    const { hosts } = await addTasks(queries, job, tasks, changes)
    for (const [host, count] of hosts) added.push({ jobId, host, count })
    for (const { refused } of found)
      for (const [reason, count] of Object.entries(refused))
        changes.count(job.jobNo, `refused:${reason as Reason}`, count)
  }
  return added
}

async function saveHosts(queries: Queries, hosts: CommitGroup['hosts']): Promise<void> {
  if (hosts.length === 0) return
  const latest = new Map(hosts.map(state => [state.host, { host: state.host, state: JSON.stringify(state) }]))
  const rows = rowsTable('r', { host: 'text', state: 'text' }, [...latest.values()])
  await queries.run(
    `INSERT INTO host_states (host, state) SELECT host, state FROM ${rows.sql} ORDER BY host
     ON CONFLICT (host) DO UPDATE SET state = excluded.state`,
    ...rows.values,
  )
}
