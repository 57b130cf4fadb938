// Explains a URL in a job: fetched, skipped or waiting, by which rule and for which reason.
import { parseRobots, productTokenOf } from '../dispatch/robots/index.ts'
import { canonicalUrl, hostOf, urlKey } from '../frontier/canonical-url.ts'
import { compileScope } from '../frontier/scope.ts'
import { suspiciousShape } from '../frontier/traps.ts'
import { formatDuration } from '../lib/units.ts'
import { Failure } from '../model/failures.ts'
import { taskId } from '../model/ids.ts'
import type { Job } from '../model/job.ts'
import type { Attempt, Task } from '../model/task.ts'
import type { Store } from '../ports/store.ts'
import { originOf } from './robots-gate.ts'

export interface ExplainParts {
  store: Store
  userAgent: string
  now: number
}

/** Lines for people, most telling first. */
export async function explainUrl(parts: ExplainParts, job: Job, raw: string): Promise<string[]> {
  const url = canonicalUrl(raw, { query: job.spec.query })
  if (!url) throw new Failure('input.invalid', `"${raw}" is no http or https URL`)
  const task = await parts.store.tasks.find(job.id, urlKey(url))
  const identity = url === raw ? [] : [`canonical form: ${url}`]
  if (!task) return [...identity, ...notFound(job, url), ...(await robotsLines(parts, job, url))]
  const attempts = await parts.store.tasks.attempts(job.id, task.n)
  return [
    ...identity,
    ...taskLines(job, task),
    ...(await parentLines(parts, job, task)),
    ...attempts.map(attemptLine),
    ...(await provenanceLines(parts, task)),
    ...(await hostLines(parts, task)),
    ...(await robotsLines(parts, job, url)),
  ]
}

function taskLines(job: Job, task: Task): string[] {
  const lines = [
    `${taskId(job.id, task.n)} is ${task.state}${task.reason ? `: ${task.reason}` : ''}${task.message ? ` (${task.message})` : ''}`,
  ]
  if (task.duplicateOf !== null) lines.push(`duplicate of ${taskId(job.id, task.duplicateOf)}`)
  return lines
}

async function parentLines({ store }: ExplainParts, job: Job, task: Task): Promise<string[]> {
  if (task.parent === null) return [`depth ${task.depth}: named by the job`]
  const parent = await store.tasks.get(job.id, task.parent)
  return [`depth ${task.depth}: found on ${parent?.url ?? taskId(job.id, task.parent)}`]
}

function attemptLine({ attempt, startedAt, endedAt, outcome, status, message, worker }: Attempt): string {
  const at = new Date(startedAt).toISOString()
  return `attempt ${attempt} at ${at}: ${outcome}${status === null ? '' : `, HTTP ${status}`}, ${endedAt - startedAt} ms, worker ${worker}${message ? ` (${message})` : ''}`
}

/** Where each field of the task's records came from, and why a null is null. */
async function provenanceLines({ store }: ExplainParts, task: Task): Promise<string[]> {
  const records = await store.records.ofTask(task.jobId, task.n)
  return records.flatMap(record => {
    const sources = JSON.parse(record.provenance ?? '{}') as Record<
      string,
      { from: string; by?: string; why?: string }
    >
    return Object.entries(sources).map(
      ([field, { from, by, why }]) => `field ${field}: ${why ?? `${from}${by ? ` ${by}` : ''}`}`,
    )
  })
}

async function hostLines({ store, now }: ExplainParts, task: Task): Promise<string[]> {
  if (task.state !== 'pending' && task.state !== 'queued') return []
  const lines =
    task.notBefore > now ? [`waits for its next try, in ${formatDuration(task.notBefore - now)}`] : []
  const host = await store.hosts.get(task.host)
  if (!host) return [...lines, `waits for its turn; ${task.host} was not asked yet`]
  if (host.pausedUntil > now)
    lines.push(`${host.host} is paused (${host.pauseReason}) for ${formatDuration(host.pausedUntil - now)}`)
  if (host.breaker !== 'closed')
    lines.push(
      `the breaker of ${host.host} is ${host.breaker}${host.lastError ? ` after ${host.lastError}` : ''}`,
    )
  if (host.rateFactor < 1)
    lines.push(`${host.host} is slowed down to ${Math.round(host.rateFactor * 100)} % of its rate`)
  return lines.length > 0 ? lines : [`waits for its turn at ${host.host}`]
}

function notFound(job: Job, url: string): string[] {
  const verdict = compileScope(job.spec).allows(url, 0)
  if (!verdict.ok) return [`not in the job: ${verdict.reason} (${verdict.rule})`]
  const trap = suspiciousShape(url)
  if (trap) return [`not in the job: trap.suspected (${trap})`]
  return [
    'not in the job: it is in scope, but nothing that was read links to it (yet), or it lies deeper than --depth',
  ]
}

async function robotsLines({ store, userAgent }: ExplainParts, job: Job, url: string): Promise<string[]> {
  if (job.spec.policy.robots === 'ignore') return ['robots.txt: the job does not obey it']
  const entry = await store.hosts.robots(originOf(url))
  if (!entry) return [`robots.txt of ${hostOf(url)}: not asked yet`]
  if (entry.verdict !== 'parsed')
    return [`robots.txt of ${hostOf(url)}: ${entry.verdict}${entry.status ? ` (HTTP ${entry.status})` : ''}`]
  const { allowed, rule } = parseRobots(entry.body, productTokenOf(userAgent)).isAllowed(url)
  return [
    `robots.txt of ${hostOf(url)}: ${allowed ? 'allowed' : 'disallowed'}${rule ? ` by "${rule}"` : ', no rule matches'}`,
  ]
}
