// Prints jobs: tables and lines for people, facts for programs.
import { countOf, formatDuration, formatWait } from '../../lib/text/units.ts'
import { hasEnded, type Job, type JobCounts } from '../../model/job.ts'
import { mapKeys, snake } from '../../model/letter-case.ts'
import { paceSentence, paceText } from '../../model/policy/pace.ts'
import { browserKindOf, renderModeOf } from '../../model/policy/render-mode.ts'
import { remedyOf, wasteReason, wasteRemedy } from '../../model/remedies.ts'
import { taskStates } from '../../model/task.ts'
import type { CountedJob, JobReport, ShownState } from '../jobs/job-reader.ts'
import { safe } from '../talk.ts'
import { doneOf } from './progress-text.ts'
import { nameOf } from './summary.ts'

export function table(head: string[], rows: string[][]): string {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map(row => row[column]!.length)))
  const line = (cells: string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd()
  return [line(head), ...rows.map(line)].join('\n')
}

export const jobRow = ({ job, counts, interrupted }: CountedJob): string[] => [
  job.id,
  job.state === 'paused' && job.reason ? `paused: ${safe(job.reason)}` : shownState(job, interrupted),
  String(doneOf(counts)),
  String(counts.tasks),
  String(counts.records),
  String(counts.byState.failed),
  timeText(job.createdAt),
]

const timeText = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ')

/** The state to show. A job whose process was killed still has the stored state of a running job. */
const shownState = ({ state }: Job, interrupted = false): ShownState => (interrupted ? 'interrupted' : state)

export const jobFacts = ({ job, counts, interrupted }: CountedJob) => ({
  job_id: job.id,
  kind: job.kind,
  state: shownState(job, interrupted),
  reason: job.reason,
  created_at: new Date(job.createdAt).toISOString(),
  started_at: job.startedAt && new Date(job.startedAt).toISOString(),
  finished_at: job.finishedAt && new Date(job.finishedAt).toISOString(),
  user_agent: job.spec.userAgent,
  robots: job.spec.policy.robots ?? 'obey',
  render: renderModeOf(job.spec),
  browser: job.spec.browser ?? 'plain',
  retention: job.spec.retention ? mapKeys(job.spec.retention, snake) : null,
  counts: {
    tasks: counts.tasks,
    records: counts.records,
    pages: counts.pages,
    bytes: counts.bytes,
    by_state: counts.byState,
    by_reason: counts.byReason,
    exactly_parsed: counts.exactlyParsed,
    rendered: counts.rendered,
    llm_tokens: counts.llmTokens,
    links_refused: counts.linksRefused,
    warnings: counts.warnings,
  },
})

export function reportLines(report: JobReport, now: number): string[] {
  const { job, counts, interrupted } = report
  const details = [
    ...stopLines(report),
    timeLine(job, now),
    sourceLine(job, report.named),
    ...optionLines(job),
    ...countLines(counts, job),
    ...wallLines(report),
    ...hostLines(report),
    ...waitLines(report, now),
    ...outputLines(report),
    ...keptLines(job),
  ]
  const head = `${job.id}  ${job.kind}  ${shownState(job, interrupted)}${job.reason ? ` (${safe(job.reason)})` : ''}`
  return [head, ...details.map(line => `  ${line}`)]
}

/** Retention settings that the job sets itself. */
function keptLines({ spec }: Job): string[] {
  const own = Object.entries(spec.retention ?? {}).map(([name, ms]) => {
    const kind = name.replace(/Ms$/, '')
    return ms ? `${kind} ${formatDuration(ms)}` : `${kind} forever`
  })
  return own.length > 0 ? [`retention: ${own.join(', ')}`] : []
}

/** Why the job has stopped, and how to continue it. */
function stopLines({ job: { id, state, reason }, interrupted }: CountedJob): string[] {
  if (interrupted) return [`no process runs it: kscrape jobs resume ${id} continues it`]
  if (state !== 'paused') return []
  if (reason?.startsWith('limit.'))
    return [`reached a limit; kscrape jobs raise ${id} raises the limit (--policy shows all limits)`]
  return reason === wasteReason ? [`most of its last tasks ended at walls; ${wasteRemedy}`] : []
}

function timeLine({ createdAt, startedAt, finishedAt }: Job, now: number): string {
  const spent = (finishedAt ?? now) - (startedAt ?? createdAt)
  const how = finishedAt ? 'took' : 'began'
  return `created ${timeText(createdAt)} UTC, ${how} ${formatDuration(Math.round(spent / 1_000) * 1_000)}${finishedAt ? '' : ' ago'}`
}

function sourceLine({ spec, ingest }: Job, count: number): string {
  if (ingest.source) return `runs the rows of ${nameOf(ingest.source)}`
  if (spec.items) return `runs ${countOf(spec.items.length, 'item')} with ${spec.scraperId}`
  const named = spec.seedUrls ?? spec.urls ?? [spec.sitemapUrl ?? '']
  const more = count > 3 ? ` and ${count - 3} more` : ''
  return `${spec.seedUrls ? 'starts at' : 'fetches'} ${named.slice(0, 3).join(', ')}${more}`
}

/** The user agent, and consents such as ignoring robots.txt. */
const optionLines = ({ spec }: Job): string[] => [
  ...(spec.userAgent ? [`user agent ${spec.userAgent}`] : []),
  ...(spec.policy.robots === 'ignore' ? ['does not obey robots.txt, on request'] : []),
  ...(browserKindOf(spec) === 'stealth' ? ['uses the stealth browser, on request'] : []),
]

function countLines(counts: JobCounts, job: Job): string[] {
  const states = taskStates.filter(state => counts.byState[state] > 0)
  const { source, rows, blank, rejected, duplicates, done } = job.ingest
  return [
    `${countOf(counts.tasks, 'task')}, ${countOf(counts.records, 'record')}, ${sizeText(counts.bytes)} fetched`,
    `by state:  ${states.map(state => `${state} ${counts.byState[state]}`).join(', ') || 'none yet'}`,
    `by reason: ${reasonText(counts.byReason)}`,
    ...(counts.rendered > 0 ? [`${countOf(counts.rendered, 'page')} loaded in a browser`] : []),
    ...(counts.exactlyParsed > 0
      ? [`${countOf(counts.exactlyParsed, 'page')} parsed by the exact parser`]
      : []),
    ...(Object.keys(counts.linksRefused).length > 0
      ? [`links not followed: ${reasonText(counts.linksRefused)}`]
      : []),
    ...(Object.keys(counts.warnings).length > 0 ? [`warnings: ${reasonText(counts.warnings)}`] : []),
    ...(source
      ? [
          `rows: ${rows} read${done ? '' : ' so far'} = ${counts.tasks} tasks + ${duplicates} duplicates + ${rejected} rejected + ${blank} blank`,
        ]
      : []),
  ]
}

/** One example page for each kind of wall, with a remedy. */
const wallLines = ({ walls }: JobReport): string[] =>
  walls.flatMap(({ reason, message }) => [
    ...(message ? [`${reason}: ${safe(message)}`] : []),
    `  what to do: ${remedyOf(reason)}`,
  ])

const sizeText = (bytes: number): string =>
  bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} KB` : `${(bytes / 1e6).toFixed(1)} MB`

const reasonText = (reasons: Partial<Record<string, number>>): string =>
  Object.entries(reasons)
    .sort(([, a], [, b]) => (b ?? 0) - (a ?? 0))
    .map(([reason, count]) => `${reason} ${count}`)
    .join(', ') || 'none yet'

const hostLines = ({ hosts }: JobReport): string[] =>
  hosts
    .filter(({ host }) => host !== '' && !host.startsWith('~'))
    .flatMap(({ host, byState, trouble }) => {
      const states = Object.entries(byState).map(([state, count]) => `${state} ${count}`)
      return [`host ${host}: ${states.join(', ')}`, ...trouble.map(line => `  ${line}`)]
    })

function waitLines({ job, nextWakeAt, pace, waits }: JobReport, now: number): string[] {
  if (hasEnded(job.state)) return []
  return [
    ...(pace ? [`rate: ${pace.leftMs >= 60_000 ? paceSentence(pace, formatDuration) : paceText(pace)}`] : []),
    ...waits.map(wait => `waiting: ${wait}`),
    ...(job.resumeAt !== null && job.resumeAt > now
      ? [`resumes automatically in ${formatWait(job.resumeAt, now)}`]
      : []),
    ...(nextWakeAt !== null && nextWakeAt > now
      ? [`the next retry of a failed task is in ${formatWait(nextWakeAt, now)}`]
      : []),
  ]
}

const outputLines = ({ job, outputs }: JobReport): string[] =>
  job.spec.output
    .filter(({ path }) => path !== '-')
    .map(({ path }) => {
      const isDone = outputs.some(output => output.path === path && output.done)
      return `output ${nameOf(path)}: ${isDone ? 'complete' : 'complete when the job ends'}`
    })
