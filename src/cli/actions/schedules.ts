// The actions of kscrape schedules.
import { mapKeys, snake } from '../../model/letter-case.ts'
import {
  localSchedules,
  type RunShown,
  type ScheduleDirectory,
  type ScheduleShown,
  scheduleFromFile,
} from '../../roles/local/schedules.ts'
import type { CommonFlags, FetchFlags } from '../flags/flags.ts'
import { settingsFor } from '../jobs/read-data-directory.ts'
import { serviceSchedules } from '../jobs/service-schedules.ts'
import { print, printJson } from '../print.ts'
import { refuseLocalFlags, serviceFor } from '../service.ts'
import { table } from '../show/job-tables.ts'
import { safe } from '../talk.ts'

/** The schedules of a service, or of the local data directory. */
async function schedulesFor(flags: CommonFlags): Promise<ScheduleDirectory> {
  const service = await serviceFor(flags)
  return service ? serviceSchedules(service) : localSchedules(await settingsFor(flags))
}

const say = (flags: CommonFlags, line: string): void => {
  if (!flags.quiet) process.stderr.write(`${line}\n`)
}

const printSnakeJson = (facts: unknown): void => printJson(mapKeys(facts, snake))

export async function create(file: string, flags: FetchFlags): Promise<void> {
  const service = await serviceFor(flags)
  if (service) refuseLocalFlags(flags)
  const made = await (await schedulesFor(flags)).create(scheduleFromFile(file))
  if (flags.json) return printSnakeJson(made)
  print(made.scheduleId)
  say(flags, nextLines(made).join('\n'))
  if (!service) say(flags, 'runs start while `kscrape serve` is up on this data directory')
}

export async function listAll(flags: CommonFlags): Promise<void> {
  const found = await (await schedulesFor(flags)).list()
  if (flags.json) for (const schedule of found) printSnakeJson(schedule)
  else print(table(['schedule', 'name', 'cron', 'time zone', 'next run'], found.map(rowOf)))
}

export const rowOf = ({ scheduleId, name, cron, timeZone, paused, nextRuns }: ScheduleShown): string[] => [
  scheduleId,
  safe(name),
  cron,
  timeZone,
  paused ? 'paused' : (nextRuns[0] ?? 'never'),
]

export async function show(scheduleId: string, flags: CommonFlags & { limit: number }): Promise<void> {
  const schedules = await schedulesFor(flags)
  const schedule = await schedules.get(scheduleId)
  const runs = await schedules.runs(scheduleId, flags.limit)
  if (flags.json) return printSnakeJson({ ...schedule, runs })
  const { name, cron, timeZone, overlap, jitterS, paused } = schedule
  const jitter = jitterS > 0 ? `, up to ${jitterS} s later` : ''
  print(`${scheduleId}  ${safe(name)}${paused ? '  (paused)' : ''}`)
  print(`  at "${cron}" in ${timeZone}${jitter}; overlapping runs: ${overlap}`)
  for (const line of nextLines(schedule)) print(`  ${line}`)
  if (runs.length > 0) print(table(['tick', 'outcome', 'tasks', 'records', 'job', 'why'], runs.map(runRow)))
}

const nextLines = ({ nextRuns }: ScheduleShown): string[] => [`next runs: ${nextRuns.join(', ') || 'none'}`]

export const runRow = ({ tick, outcome, jobId, job, reason, catchUp }: RunShown): string[] => [
  tick,
  job?.status ?? outcome,
  job ? tasksOf(job) : '-',
  job ? String(job.records) : '-',
  jobId ?? '-',
  safe(reason ?? (catchUp ? 'replaced missed runs' : '')),
]

const tasksOf = ({ tasks, failed }: NonNullable<RunShown['job']>): string =>
  failed > 0 ? `${tasks}, ${failed} failed` : String(tasks)

export const pause = (scheduleId: string, flags: CommonFlags): Promise<void> =>
  setPaused(scheduleId, flags, true)

export const resume = (scheduleId: string, flags: CommonFlags): Promise<void> =>
  setPaused(scheduleId, flags, false)

async function setPaused(scheduleId: string, flags: CommonFlags, paused: boolean): Promise<void> {
  const schedule = await (await schedulesFor(flags)).setPaused(scheduleId, paused)
  if (flags.json) return printSnakeJson(schedule)
  say(flags, paused ? `${scheduleId} is paused` : `${scheduleId} continues`)
  if (!paused) say(flags, nextLines(schedule).join('\n'))
}

export async function run(scheduleId: string, flags: CommonFlags & { tick?: 'latest' }): Promise<void> {
  const entered = await (await schedulesFor(flags)).run(scheduleId, flags.tick ? { tick: flags.tick } : {})
  if (flags.json) return printSnakeJson(entered)
  const { outcome, jobId, reason } = entered
  if (outcome === 'started') return say(flags, `${scheduleId}: job ${jobId} was started`)
  if (outcome === 'queued')
    return say(
      flags,
      `${scheduleId}: a run waits (${safe(reason ?? '')}); \`kscrape serve\` starts it as soon as it can`,
    )
  say(flags, `${scheduleId}: ${outcome} (${safe(reason ?? '')})`)
}

interface CompareFlags extends CommonFlags {
  from?: string
  to?: string
  difference?: Array<'new' | 'changed' | 'unchanged' | 'gone'>
  limit: number
}

export async function compare(scheduleId: string, flags: CompareFlags): Promise<void> {
  const { from, to, limit, difference = ['new', 'changed', 'gone'] } = flags
  const found = await (await schedulesFor(flags)).compare(scheduleId, { from, to, limit, difference })
  if (flags.json) return printSnakeJson(found)
  const counts = Object.entries(found.counts).map(([word, count]) => `${count} ${word}`)
  print(`${scheduleId}  ${sideOf(found.from)} → ${sideOf(found.to)}: ${counts.join(', ')}`)
  const rows = found.items.map(({ difference, itemId, url, fields = [], reason }) =>
    [difference, itemId, url, fields.join(', ') || (reason ?? '')].map(safe),
  )
  if (rows.length > 0) print(table(['difference', 'item', 'url', 'fields'], rows))
  const all = difference.reduce((sum, word) => sum + found.counts[word], 0)
  if (all > rows.length) say(flags, `${all - rows.length} more are not listed; use --limit`)
}

const sideOf = ({ jobId, createdAt }: { jobId: string; createdAt: string }): string =>
  `${jobId} (${createdAt})`

export async function remove(scheduleId: string, flags: CommonFlags): Promise<void> {
  await (await schedulesFor(flags)).delete(scheduleId)
  if (flags.json) printSnakeJson({ scheduleId, deleted: true })
  else say(flags, `${scheduleId}: deleted`)
}
