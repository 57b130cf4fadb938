// Decides what a report means for its task: succeeded, failed, skipped or a retry.
import { backoffMs } from '../../../lib/backoff.ts'
import { Failure, isUnanswered } from '../../../model/failures.ts'
import type { TaskReport } from '../../../model/lane.ts'
import type { TaskOverrides } from '../../../model/policy/policy.ts'
import type { Attempt, Key, LeasedTask, NewTask, Reason } from '../../../model/task.ts'
import type { Discovery, Settlement } from '../../../ports/store.ts'

export interface SettleContext {
  now: number
  random: () => number
  worker: string
  policy: Pick<TaskOverrides, 'retries' | 'blocks'>
}

/** Limit of attempts of a task that are not charged. It ends tasks that would otherwise retry forever. */
const maxUnchargedAttempts = 50
/** A page that always responds with 429 fails after this many attempts. With the waits between them, this takes about 15 minutes. */
const maxThrottledAttempts = 20
/** A longer Retry-After of a host is cut to this value. */
const maxRetryAfterMs = 600_000
/** Added to the priority of a throttled page. It is higher than any priority, so that the page runs after all others of its host. */
const behindAllOthers = 1_000_000

/** The notice about a report; null if there is none. A page that matches no rule gives no notice, because a crawl has
 *  many such pages. The summary of the job mentions them once. */
export const noticeOf = ({ remark, warnings }: TaskReport): string | null =>
  warnings?.['extract.no-match'] ? null : (remark ?? null)

export function settlementOf(report: TaskReport, task: LeasedTask, context: SettleContext): Settlement {
  const base = {
    jobId: task.jobId,
    n: task.n,
    attempt: task.attempt,
    history: attemptOf(report, task, context),
  }
  if (!report.failure) {
    const identity = { canonical: report.canonicalKey, content: report.contentKey }
    return {
      ...base,
      state: 'succeeded',
      reason: report.reused ?? 'ok',
      message: report.remark ?? null,
      notBefore: 0,
      charged: false,
      records: report.records,
      identity,
      ...(report.answer && { answer: report.answer }),
      ...(report.specParsed && { exactlyParsed: true }),
      ...(report.warnings && { warnings: report.warnings }),
    }
  }
  const failure = Failure.from(report.failure)
  const none = { records: [], identity: { canonical: null, content: null } }
  if (failure.code === 'render.needed' && task.way === 'http')
    return { ...base, ...none, ...sentToBrowser(failure) }
  const verdict = mayTryAgain(failure, task, context) ? retryAt(failure, task, context) : endOf(failure, task)
  return { ...base, reason: failure.code, ...verdict, ...none, message: failure.message }
}

/** Settles a page that needs a browser. This does not count as a failure. The task is due again at once and needs a new
 *  slot. */
const sentToBrowser = ({ code, message, details }: Failure) => ({
  state: 'pending' as const,
  reason: code,
  message,
  notBefore: 0,
  charged: false,
  next: { way: 'browser' as const, why: String(details.why ?? message) },
})

function mayTryAgain(failure: Failure, task: LeasedTask, { policy }: SettleContext): boolean {
  const { retry, charged } = failure.rule
  if (retry === 'never' || failure.code === 'render.needed') return false
  // A full disk is not the fault of the task, and the job is paused until there is space. So the number of retries is
  // not limited.
  if (failure.code.startsWith('storage.')) return true
  // The policy decides whether a block is retried. Jobs that an older version stored do not have this field.
  if (failure.code.startsWith('blocked.')) return task.charged < (policy.blocks?.retries ?? 0)
  if (failure.code === 'host.throttled') return task.attempt < maxThrottledAttempts
  return charged && !isOutage(failure, task)
    ? task.charged < policy.retries.attempts
    : task.attempt < maxUnchargedAttempts
}

function retryAt(
  failure: Failure,
  task: LeasedTask,
  context: SettleContext,
): Pick<Settlement, 'state' | 'notBefore' | 'charged' | 'demotedBy'> {
  const isThrottled = failure.code === 'host.throttled'
  const outage = isOutage(failure, task)
  const charged = failure.rule.charged && !outage
  const round = charged ? task.charged + 1 : isThrottled || outage ? task.attempt : 1
  const own = isDueAtOnce(failure) ? 0 : backoffMs(round, context.policy.retries, context.random)
  const waitMs = Math.max(own, askedMs(failure))
  const notBefore = waitMs > 0 ? context.now + waitMs : 0
  // Demote only pages. The priority of a sitemap encodes its nesting level, so it must not change.
  const isDemoted = isThrottled && task.kind === 'page' && task.priority < behindAllOthers
  return { state: 'pending', notBefore, charged, ...(isDemoted && { demotedBy: behindAllOthers }) }
}

/** Whether to retry without a wait. True if the worker ended, or if the proxy is excluded and the retry uses another
 *  proxy. In both cases the host got no request. */
const isDueAtOnce = ({ code, rule, details }: Failure): boolean =>
  code === 'worker.stopping' ||
  code === 'worker.crashed' ||
  (rule.retry === 'elsewhere' && details.blames === 'proxy')

const isOutage = ({ code }: Failure, { waitsOutOutage }: LeasedTask): boolean =>
  waitsOutOutage === true && isUnanswered(code)

/** The wait in ms that the failure requires. A host's Retry-After is limited. Waits of our own rules (hours, breaker)
 *  are not limited. */
function askedMs({ code, details }: Failure): number {
  const retryAfterMs = Number(details.retryAfterMs ?? 0) || 0
  return code === 'host.not-now' ? retryAfterMs : Math.min(retryAfterMs, maxRetryAfterMs)
}

/** The final state after a failure. A missing sitemap is skipped, because its URL was only a guess, or robots.txt is
 *  outdated. */
function endOf(
  failure: Failure,
  task: LeasedTask,
): Pick<Settlement, 'state' | 'notBefore' | 'charged'> & { reason?: Reason } {
  const end = { notBefore: 0, charged: failure.rule.charged }
  const isMissing = task.kind === 'sitemap' && failure.code === 'http.not-found'
  return isMissing
    ? { ...end, state: 'skipped', reason: 'sitemap.missing' }
    : { ...end, state: failure.rule.ends }
}

function attemptOf(report: TaskReport, { way }: LeasedTask, { worker, now }: SettleContext): Attempt {
  const { endedAt, readAt } = report
  return {
    attempt: report.attempt,
    startedAt: report.startedAt,
    endedAt,
    outcome: (report.failure?.code ?? report.reused ?? 'ok') as Reason,
    message: report.failure?.message ?? null,
    status: report.status,
    worker,
    proxy: report.identity?.proxy ?? null,
    bytes: report.bytes,
    raw: report.raw,
    way,
    artifacts: report.artifacts ?? [],
    // The times may be from two machines whose clocks differ, so avoid negative durations.
    readMs: readAt === undefined ? null : Math.max(0, readAt - endedAt),
    storeMs: Math.max(0, now - (readAt ?? endedAt)),
  }
}

interface DiscoveryRules {
  order: 'breadth' | 'depth'
  /** Tasks deeper than this are listed but not fetched: they get the host `parkedHost`. */
  fetchDepth: number
  sitemapKey: (url: string) => { url: string; host: string; key: Key } | null
}

/** The host of tasks that are never released. A map job has such tasks, to list their URLs. */
export const parkedHost = ''

export function discoveryOf(report: TaskReport, task: LeasedTask, rules: DiscoveryRules): Discovery | null {
  const { links, sitemaps } = report
  if (!links && sitemaps.length === 0) return null
  return {
    ...{ jobId: task.jobId, n: task.n, attempt: task.attempt },
    tasks: [
      ...(links ? linkTasks(links, task, rules) : []),
      ...sitemaps.flatMap(url => sitemapTask(url, task, rules)),
    ],
    refused: links?.refused ?? {},
  }
}

function linkTasks(
  links: NonNullable<TaskReport['links']>,
  task: LeasedTask,
  rules: DiscoveryRules,
): NewTask[] {
  const depth = task.kind === 'sitemap' ? task.depth : task.depth + 1
  // A page that a sitemap names counts as one link deep, so that a map lists it without fetching it.
  const steps = task.depth + 1
  const host = (own: string) => (steps > rules.fetchDepth ? parkedHost : own)
  const priority = rules.order === 'breadth' ? depth : -depth
  return links.urls.map((url, index) => ({
    key: links.keys[index]!,
    kind: 'page',
    url,
    host: host(links.hosts[index]!),
    depth,
    priority,
    parent: task.n,
    input: links.inputs?.[index] ?? null,
    itemId: null,
  }))
}

/** How deep sitemaps may be nested. The priority of a sitemap task encodes its nesting level. */
const maxSitemapNesting = 5

function sitemapTask(url: string, task: LeasedTask, rules: DiscoveryRules): NewTask[] {
  const named = rules.sitemapKey(url)
  if (!named || task.priority - sitemapPriority >= maxSitemapNesting) return []
  const base = { kind: 'sitemap', depth: task.depth, parent: task.n, input: null, itemId: null } as const
  return [{ ...named, ...base, priority: task.priority + 1 }]
}

/** The priority of a sitemap that is not nested. Each level of nesting adds 1. Tasks with smaller numbers run first, so sitemaps
 *  run before pages. */
export const sitemapPriority = -1_000_000
