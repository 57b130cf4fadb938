// Conduct kept in force: what the operator and the owners of sites said, put to work in jobs that run.
import { type HostListing, isInForce } from '../../model/conduct.ts'
import type { ConductStore } from '../../ports/service-stores.ts'
import type { CoordinatorContext } from './context.ts'
import type { CrawlEntries } from './crawl-list.ts'
import type { RunningJob } from './running-job.ts'

/** What applying changed conduct rules needs. */
export type ConductContext = Pick<
  CoordinatorContext,
  'store' | 'hosts' | 'dispatcher' | 'jobs' | 'crawlList' | 'setOverrides' | 'conductVersion' | 'settings'
>

/** Looked at every sweep, and at once by whoever changed something here. */
export async function refreshConduct(context: ConductContext): Promise<void> {
  const { conduct } = context.store
  const version = await conduct.version()
  if (version === context.conductVersion) return
  for (const host of context.setOverrides(await conduct.overrides())) context.hosts.reviseTerms(host)
  context.crawlList.set(await crawlEntries(conduct, context.settings))
  context.conductVersion = version
  for (const job of context.jobs.values()) await leaveDenied(context, job)
}

/** The settings' own lists, and those of the store that are in force. */
export async function crawlEntries(
  conduct: ConductStore,
  settings: { denyHosts: readonly string[]; allowHosts: readonly string[] },
): Promise<CrawlEntries> {
  const listed = await listingsInForce(conduct)
  const of = (list: HostListing['list']) =>
    listed.filter(entry => entry.list === list).map(({ pattern }) => pattern)
  return { deny: [...settings.denyHosts, ...of('deny')], allow: [...settings.allowHosts, ...of('allow')] }
}

const pageSize = 1_000

async function listingsInForce(conduct: ConductStore): Promise<HostListing[]> {
  const found: HostListing[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await conduct.listings({ limit: pageSize, ...(cursor && { cursor }) })
    found.push(...page.filter(isInForce))
    if (page.length < pageSize) return found
    cursor = page.at(-1)!.id
  }
}

/** Tasks of hosts that are to be left alone end now; those of single paths when their turn comes. */
async function leaveDenied(context: ConductContext, running: RunningJob): Promise<void> {
  for (const host of context.dispatcher.hostNamesOf(running.id)) {
    if (context.crawlList.refusalOfHost(host) === null) continue
    context.dispatcher.dropWork(running.id, host)
    running.tasksEnded(await context.store.tasks.endPending(running.id, 'skipped', 'host.denied', { host }))
  }
}
