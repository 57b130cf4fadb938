// Schedules of a data directory, also while a service runs on it. Both processes can write to the store safely.
import { setTimeout as wait } from 'node:timers/promises'
import { openSealer } from '../../adapters/fs/sealer.ts'
import type { Loaded } from '../../config/load.ts'
import { operatorProxies } from '../../config/operator-proxies.ts'
import { EgressGate } from '../../fetch/http/index.ts'
import { wallClock } from '../../lib/clocks.ts'
import { problemsOf } from '../../lib/text/problems.ts'
import { defaultWorkspace } from '../../model/access.ts'
import { Failure } from '../../model/failures.ts'
import { camel, mapKeys, snake } from '../../model/letter-case.ts'
import { type Schedule, type ScheduleBody, type ScheduleRun, scheduleBody } from '../../model/schedule.ts'
import { bodyFromFile } from '../../pipeline/submit/job-input.ts'
import { changedSchedule, newSchedule } from '../../pipeline/submit/plan-schedule.ts'
import { leaveRun } from '../../pipeline/submit/run-schedules.ts'
import { sealHeaders } from '../../pipeline/submit/sealed-headers.ts'
import { planJob } from '../../pipeline/submit/submit-job.ts'
import {
  type ComparisonShown,
  compareSchedule,
  type RunsAsked,
} from '../../server/api/schedules/comparing.ts'
import { shownRun, shownSchedule } from '../../server/api/schedules/views.ts'
import { operator } from '../../server/auth.ts'
import { jobOfSchedule, placed } from '../../server/scheduled-jobs.ts'
import { type DataDirectory, ownDataDirectory, withDataDirectory } from '../data-directory.ts'
import { refuseUselessModel, refuseWithoutModel } from '../llm-settings.ts'
import { findScraperFiles, loadScrapers } from '../scrapers/scraper-files.ts'

/** A schedule as the API returns it, but in camelCase. */
export type ScheduleShown = Omit<ReturnType<typeof shownSchedule>, 'links' | 'job'> & {
  job: Record<string, unknown>
}
export type RunShown = Omit<Awaited<ReturnType<typeof shownRun>>, 'scheduleId'>

/** The schedules that `kscrape schedules` reads and changes, in a local data directory or in a service. */
export interface ScheduleDirectory {
  list(): Promise<ScheduleShown[]>
  get(scheduleId: string): Promise<ScheduleShown>
  create(body: ScheduleBody): Promise<ScheduleShown>
  setPaused(scheduleId: string, paused: boolean): Promise<ScheduleShown>
  delete(scheduleId: string): Promise<void>
  runs(scheduleId: string, limit: number): Promise<RunShown[]>
  /** Returns the run. Its state is `queued` until a service has started it. */
  run(scheduleId: string, options?: { tick?: 'latest' }): Promise<RunShown>
  /** Compares two runs; returns the first `limit` differences. */
  compare(scheduleId: string, asked: RunsAsked): Promise<RunsCompared>
}

interface RunsCompared extends Omit<ComparisonShown, 'items'> {
  items: Array<Omit<ComparisonShown['items'][number], 'before' | 'after'>>
}

/** The body of `POST /schedules`, as YAML or JSON. */
export function scheduleFromFile(path: string): ScheduleBody {
  const given = bodyFromFile(path, 'schedule', 'cron: 30 2 * * *')
  const parsed = scheduleBody.safeParse(mapKeys(given, camel))
  if (parsed.success) return parsed.data
  const known = Object.keys(scheduleBody.shape)
  const lines = problemsOf(parsed.error, { known, spell: snake }).map(
    ({ path, message }) => `${path}: ${message}`,
  )
  throw new Failure('input.invalid', `the schedule can't be accepted: ${lines.join('; ')}`, { path })
}

export function localSchedules(loaded: Loaded): ScheduleDirectory {
  const { dataDir } = loaded.settings
  const within = <Result>(work: (data: DataDirectory) => Promise<Result>) =>
    withDataDirectory(dataDir, 'schedules', work)
  return {
    list: () => within(async ({ store }) => (await store.schedules.list({ limit: mostListed })).map(shown)),
    get: scheduleId => within(async data => shown(await scheduleNamed(data, scheduleId))),
    create: body => within(data => create(loaded, data, body)),
    setPaused: (scheduleId, paused) => within(data => setPaused(data, scheduleId, paused)),
    delete: scheduleId =>
      within(async data => {
        await scheduleNamed(data, scheduleId)
        await data.store.schedules.delete(scheduleId)
      }),
    runs: (scheduleId, limit) =>
      within(async data => {
        const schedule = await scheduleNamed(data, scheduleId)
        const runs = await data.store.schedules.runs(scheduleId, { limit })
        return Promise.all(runs.map(run => shownRun(data.store.jobs, run, schedule)))
      }),
    run: (scheduleId, options) => within(data => runSoon(data, scheduleId, options)),
    compare: (scheduleId, asked) =>
      within(async data => {
        const schedule = await scheduleNamed(data, scheduleId)
        return (await compareSchedule(data, schedule, asked)).shown
      }),
  }
}

const mostListed = 10_000

const shown = (schedule: Schedule): ScheduleShown => {
  const { links: _links, ...facts } = shownSchedule(schedule, operator, '')
  // The list covers all workspaces, so each schedule has its full id.
  return { ...facts, scheduleId: schedule.id }
}

async function scheduleNamed({ store, path }: DataDirectory, scheduleId: string): Promise<Schedule> {
  const schedule = await store.schedules.get(scheduleId)
  if (schedule) return schedule
  throw new Failure(
    'schedule.unknown',
    `there is no schedule "${scheduleId}" in ${path}; \`kscrape schedules list\` shows them`,
    { scheduleId },
  )
}

const timing = () => ({ now: wallClock.now(), random: Math.random })

async function create(
  loaded: Loaded,
  { store, path }: DataDirectory,
  body: ScheduleBody,
): Promise<ScheduleShown> {
  const made = newSchedule(body, { workspace: defaultWorkspace, keyId: null }, timing())
  await checkHere(loaded, body)
  const schedule = { ...made, job: sealHeaders(openSealer(path), made.id, made.job) }
  await store.schedules.create(schedule)
  return shown(schedule)
}

/** Checks the job like a service with these settings would. */
async function checkHere({ settings, root }: Loaded, { job }: ScheduleBody): Promise<void> {
  const spec = jobOfSchedule(job)
  const registry = await loadScrapers(findScraperFiles(root))
  try {
    refuseWithoutModel(spec, settings)
    refuseUselessModel(spec, registry)
    const gate = new EgressGate({ allowPrivate: settings.allowPrivate })
    await planJob({ gate, registry, operatorProxies: operatorProxies(settings) }, spec, {
      origin: { face: 'schedule' },
    })
  } catch (error) {
    throw error instanceof Failure ? placed(error) : error
  }
}

async function setPaused(data: DataDirectory, scheduleId: string, paused: boolean): Promise<ScheduleShown> {
  const schedule = await scheduleNamed(data, scheduleId)
  const change = changedSchedule(schedule, { paused }, timing())
  return shown((await data.store.schedules.update(scheduleId, change)) ?? schedule)
}

/** How long to wait until a service has started the run. A service checks for queued runs every second. */
const noticedWithinMs = 4_000

async function runSoon(
  data: DataDirectory,
  scheduleId: string,
  { tick }: { tick?: 'latest' } = {},
): Promise<RunShown> {
  const schedule = await scheduleNamed(data, scheduleId)
  const parts = { store: data.store, clock: wallClock }
  let run: ScheduleRun = await leaveRun(parts, schedule, { ofLatestTick: tick === 'latest' })
  const deadline = Date.now() + noticedWithinMs
  while (run.outcome === 'queued' && Date.now() < deadline && (await isOwned(data.path))) {
    await wait(100)
    const runs = await data.store.schedules.runs(scheduleId, { limit: 1, before: run.tick + 1 })
    run = runs[0] ?? run
  }
  return shownRun(data.store.jobs, run, schedule)
}

/** Whether another process owns this directory. */
async function isOwned(path: string): Promise<boolean> {
  try {
    await (await ownDataDirectory(path, 'schedules run'))[Symbol.asyncDispose]()
    return false
  } catch (error) {
    if (error instanceof Failure && error.code === 'store.locked') return true
    throw error
  }
}
