// Applies changed conduct rules to the hosts and jobs of this coordinator.
import type { CoordinatorContext } from './context.ts'
import type { RunningJob } from './running-job.ts'

/** Dependencies for applying changed conduct rules. */
type ConductContext = Pick<CoordinatorContext, 'conduct' | 'store' | 'hosts' | 'dispatcher' | 'jobs'>

/** Runs in every sweep, and at once after this process changed a rule. */
export async function refreshConduct(context: ConductContext): Promise<void> {
  const changed = await context.conduct.refresh(context.store.conduct)
  if (changed === null) return
  for (const host of changed) context.hosts.reviseTerms(host)
  for (const job of context.jobs.values()) await skipDenied(context, job)
}

/** Skips the tasks of denied hosts now. Tasks of denied paths are skipped when they are due. */
async function skipDenied(
  { conduct, store, dispatcher }: ConductContext,
  running: RunningJob,
): Promise<void> {
  for (const host of dispatcher.hostNamesOf(running.id)) {
    if (conduct.crawlList.refusalOfHost(host) === null) continue
    dispatcher.dropWork(running.id, host)
    running.tasksEnded(await store.tasks.endPending(running.id, 'skipped', 'host.denied', { host }))
  }
}
