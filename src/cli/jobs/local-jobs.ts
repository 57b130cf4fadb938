// Reads jobs of the data directory, also while another process runs them.
import { listEntries, taskPages } from '../../lib/list-pages.ts'
import { hasEnded, type Job, type JobCounts, type JobState, pageFormats } from '../../model/job.ts'
import { hostTrouble } from '../../pipeline/coordinate/hosts/host-trouble.ts'
import { conductReceipt } from '../../pipeline/report/conduct-receipt.ts'
import { shownRecords, sourcesOf, taskNamed } from '../../pipeline/report/field-sources.ts'
import { policyReport } from '../../pipeline/report/policy-report.ts'
import type { Store } from '../../ports/store.ts'
import { type DataDirectory, isOwned, visitDataDirectory } from '../../roles/data-directory.ts'
import { jobNamed, proposedRules } from '../../roles/local/look-up.ts'
import { paceOfJob } from '../../roles/local/pace-of-job.ts'
import type { CommonFlags } from '../flags/flags.ts'
import { type JobReader, type JobReport, type ShownState, wallsIn } from './job-reader.ts'
import { settingsFor } from './read-data-directory.ts'

const pageSize = 1_000
const shownHosts = 10

export async function localJobs(flags: CommonFlags): Promise<JobReader> {
  const { settings } = await settingsFor(flags)
  const data = await visitDataDirectory(settings.dataDir)
  const { store } = data
  return {
    async list({ state, limit }) {
      const states = wantedStates(state, isOwned(data.path))
      const found = states?.length === 0 ? [] : await store.jobs.list({ limit, ...(states && { states }) })
      return Promise.all(
        found.map(async job => ({ ...counted(data, job), counts: await store.jobs.counts(job.id) })),
      )
    },

    async report(jobId, which) {
      const job = await jobNamed(data, jobId)
      const counts = await store.jobs.counts(jobId)
      return {
        ...counted(data, job),
        counts,
        ...(await factsOf(store, job, counts)),
        conduct: await conductReceipt(store, job),
        sources: await sourcesOf(data, jobId, which === 'all' ? counts.records : shownRecords),
        proposal: await proposedRules(data, jobId),
        pace: await paceOfJob(data, settings, job),
        waits: [],
      }
    },

    async task(jobId, name) {
      await jobNamed(data, jobId)
      return taskNamed(data, jobId, name)
    },

    async policy(jobId) {
      const job = await jobNamed(data, jobId)
      return policyReport(job, await store.jobs.counts(jobId))
    },

    async *tasks(jobId, state) {
      await jobNamed(data, jobId)
      const states = state === undefined ? {} : { states: [state] }
      for await (const tasks of taskPages(store.tasks, jobId, { limit: pageSize, ...states })) yield* tasks
    },

    async *rejected(jobId) {
      await jobNamed(data, jobId)
      yield* listEntries({
        read: range => store.tasks.rejected(jobId, range),
        placeOf: ({ row }) => row,
        limit: pageSize,
      })
    },

    async exportTo(jobId, output, shape) {
      const { exportRecords } = await import('../../roles/local/export-job.ts')
      const count = await exportRecords(data, jobId, output, process.stdout, shape)
      if (pageFormats.has(output.format)) return `${count} pages`
      // The other formats count the records, even if one record becomes several rows.
      return `${count} ${shape?.explode && countsRows.has(output.format) ? 'rows' : 'records'}`
    },

    [Symbol.asyncDispose]: () => data[Symbol.asyncDispose](),
  }
}

const counted = (data: DataDirectory, job: Job): { job: Job; interrupted: boolean } => ({
  job,
  interrupted: (activeStates as readonly JobState[]).includes(job.state) && !isOwned(data.path),
})

/** Formats whose export returns the number of rows, not of records. */
const countsRows: ReadonlySet<string> = new Set(['parquet', 'xlsx'])

/** States in which a process must run the job. A paused job needs none. */
const activeStates = ['pending', 'running', 'finishing'] as const

/** The stored states that are shown as `state`; undefined means all states. */
function wantedStates(state: ShownState | undefined, owned: boolean): JobState[] | undefined {
  if (state === undefined) return undefined
  if (state === 'interrupted') return owned ? [] : [...activeStates]
  return !owned && (activeStates as readonly JobState[]).includes(state) ? [] : [state]
}

async function factsOf(
  store: Store,
  job: Job,
  counts: JobCounts,
): Promise<Omit<JobReport, 'job' | 'counts' | 'conduct' | 'sources' | 'proposal' | 'pace' | 'waits'>> {
  const { seedUrls, urls, items } = job.spec
  return {
    named: (seedUrls ?? urls ?? items ?? ['']).length,
    hosts: await hostsOf(store, job),
    nextWakeAt: hasEnded(job.state) ? null : await store.tasks.nextWake(job.id),
    outputs: await store.outputs.list(job.id),
    walls: await wallsIn(counts, () => store.tasks.list(job.id, { limit: 1_000, states: ['failed'] })),
  }
}

async function hostsOf(store: Store, job: Job): Promise<JobReport['hosts']> {
  const spread = await store.hosts.ofJob(job.id, shownHosts)
  return Promise.all(
    spread.map(async ({ host, byState }) => {
      const known = hasEnded(job.state) ? null : await store.hosts.get(host)
      return { host, byState, trouble: known ? hostTrouble(known, Date.now()) : [] }
    }),
  )
}
