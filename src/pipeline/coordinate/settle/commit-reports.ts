// The group commit of the coordinator: settles the reports of its lanes, saves host states, and counts the outcomes.
import { setImmediate as letOthersRun } from 'node:timers/promises'
import type { TaskReport } from '../../../model/lane.ts'
import type { CoordinatorContext } from '../context.ts'
import type { InFlightTask } from '../in-flight.ts'
import type { RunningJob } from '../running-job.ts'
import { acceptWork, countOutcome, type OutcomeContext, updateHost } from './learn-outcomes.ts'
import { announceGroup, commitGroup, fetchedPage, type SettlingJob } from './settle-reports.ts'

/** Dependencies for a group commit. */
type CommitContext = OutcomeContext & Pick<CoordinatorContext, 'random' | 'mark' | 'stopping'>

interface Entry {
  report: TaskReport
  entry: InFlightTask
  running: RunningJob
}

/** Number of characters of records in one commit. A commit blocks the event loop, by about 10 ms for a million characters. */
const mostText = 2_000_000

export async function commitReports(context: CommitContext, reports: TaskReport[]): Promise<void> {
  for (const [index, group] of groupsOf(reports).entries()) {
    if (index > 0) await letOthersRun()
    await commitTogether(context, group)
  }
}

/** Splits the reports so that the records of a group are not too long together. A task is never split, because its records
 *  and its state are committed together. Without reports, returns one empty group, because changed host states are saved
 *  with a group. */
function groupsOf(reports: TaskReport[]): TaskReport[][] {
  const groups: TaskReport[][] = [[]]
  let text = 0
  for (const report of reports) {
    const own = report.records.reduce((sum, { data }) => sum + data.length, 0)
    if (text + own > mostText && groups.at(-1)!.length > 0) {
      groups.push([])
      text = 0
    }
    groups.at(-1)!.push(report)
    text += own
  }
  return groups
}

async function commitTogether(context: CommitContext, reports: TaskReport[]): Promise<void> {
  const { settings, hosts, clock } = context
  const entries = currentReports(context, reports)
  for (const { entry, report } of entries) updateHost(context, entry, report)
  // The last commit of the process saves all changed hosts, not only those whose save is due.
  const isLast = context.jobs.size === 0 || context.stopping.aborted
  const dirty = hosts.takeDirty(isLast ? undefined : clock.now())
  if (entries.length + dirty.length === 0) return
  for (const job of new Set(entries.map(({ running }) => running)))
    await job.saveTokens(tokens => context.store.jobs.spend(job.id, tokens))
  const commit = { ...context, worker: settings.owner }
  const reported = entries.map(({ report, entry, running }) => ({
    ...{ report, task: entry.task, job: settlingJob(running) },
  }))
  const group = await commitGroup(commit, { owner: settings.owner, reported, hosts: dirty }).catch(error => {
    hosts.notKept(dirty)
    throw error
  })
  context.mark('worker.after_commit')
  for (const [index, outcome] of group.tasks.entries()) countOutcome(context, entries[index]!.entry, outcome)
  await acceptWork(context, group.added)
  for (const { entry, report } of entries) context.emit('page.fetched', fetchedPage(entry.task, report))
  announceGroup(commit, group)
}

/** Selects one report for each task in flight. A task may have two reports: one of a lane that died, and one that
 *  declares the task lost. */
function currentReports({ inFlight, jobs }: CommitContext, reports: TaskReport[]): Entry[] {
  const taken = new Set<InFlightTask>()
  return reports.flatMap(report => {
    const entry = inFlight.get(report)
    const running = jobs.get(report.jobId)
    if (!entry || !running || entry.task.attempt !== report.attempt || taken.has(entry)) return []
    taken.add(entry)
    return [{ report, entry, running }]
  })
}

const settlingJob = ({ job, scope, canonical, budgetReached, cancelled }: RunningJob): SettlingJob => ({
  ...{ kind: job.kind, spec: job.spec, scope, canonical, traceparent: job.traceparent },
  isOpen: !(budgetReached || cancelled),
})
