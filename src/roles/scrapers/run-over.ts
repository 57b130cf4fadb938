// Runs a scraper as a lane would, but with pages from a recording or a file instead of the web.

import { EgressGate } from '../../fetch/http/index.ts'
import { givenUrl, hostOf } from '../../frontier/canonical-url.ts'
import { systemClock } from '../../lib/clocks.ts'
import { version } from '../../lib/user-agent.ts'
import { defaultWorkspace } from '../../model/access.ts'
import { Failure } from '../../model/failures.ts'
import type { TaskReport, TimedTask } from '../../model/lane.ts'
import type { PageWarning } from '../../model/page/page-warning.ts'
import type { Provenance, RecordData } from '../../model/record.ts'
import { warningsOf } from '../../pipeline/report/result-items.ts'
import { inForce } from '../../pipeline/submit/policy-in-force.ts'
import { parseJobSpec, scraperHost } from '../../pipeline/submit/submit-job.ts'
import { OpenJob } from '../../pipeline/work/lane/open-job.ts'
import { runFetchTask } from '../../pipeline/work/run-fetch-task.ts'
import type { Fetch } from '../../ports/fetch.ts'
import { neverLapses } from '../../ports/permits.ts'
import type { Scraper } from '../../scraper/define-scraper.ts'
import { noBlobs } from '../no-blobs.ts'

/** The start of a run: a URL, a row, or a row with a URL. */
export interface RunStart {
  url?: string | undefined
  input?: Record<string, unknown> | undefined
}

export interface Outcome {
  records: RecordData[]
  provenance: Provenance[]
  /** The warnings of each record. */
  warnings: PageWarning[][]
  /** Why there are no records; null on success. */
  failure: Failure | null
}

/** Runs the same code as a job, so rules, checks and failures are the same. */
export async function runOver(
  scraper: Scraper,
  start: RunStart,
  fetch: Fetch,
  signal: AbortSignal = new AbortController().signal,
): Promise<Outcome> {
  await using runs = openRuns(scraper, start)
  return await runs.run(fetch, signal)
}

/** Several runs of one scraper, one after another. They share one open job. */
interface Runs extends AsyncDisposable {
  run(fetch: Fetch, signal?: AbortSignal): Promise<Outcome>
}

export function openRuns(scraper: Scraper, start: RunStart): Runs {
  let answer: Fetch
  const job = openJob(scraper, start, (request, signal) => answer(request, signal))
  const parts = { clock: systemClock, askPermit: async () => neverLapses, blobs: noBlobs }
  return {
    run: async (fetch, signal = new AbortController().signal) => {
      answer = fetch
      return outcomeOf((await runFetchTask(parts, job, taskOf(job, start), signal)).report)
    },
    [Symbol.asyncDispose]: () => job[Symbol.asyncDispose](),
  }
}

const outcomeOf = ({ records, failure }: TaskReport): Outcome => ({
  records: records.map(record => JSON.parse(record.data) as RecordData),
  provenance: records.map(record => JSON.parse(record.provenance ?? '{}') as Provenance),
  warnings: records.map(record => warningsOf(record).warnings ?? []),
  failure: failure ? Failure.from(failure) : null,
})

function openJob(scraper: Scraper, start: RunStart, fetch: Fetch): OpenJob {
  const source = start.input ? { items: [{ input: start.input }] } : { urls: [start.url] }
  const spec = inForce(
    parseJobSpec({ ...source, scraperId: scraper.id, results: { raw: 'none' } }),
    scraper.policy,
  )
  return new OpenJob(
    {
      ...{ id: 'replay', kind: 'list', workspace: defaultWorkspace, spec },
      ...{ userAgent: `kscrape/${version}`, cookies: null, slots: 1 },
    },
    {
      http: { gate: new EgressGate({ allowPrivate: [] }), caFile: null, layer: () => fetch },
      blobs: noBlobs,
      scraper: () => scraper,
      name: 'replay',
    },
  )
}

function taskOf(job: OpenJob, { url, input }: RunStart): TimedTask {
  const named = url ?? (typeof input?.url === 'string' ? input.url : '')
  const address = givenUrl(named) ?? ''
  return {
    ...{ jobId: job.job.id, n: 1, attempt: 1, charged: 0, kind: 'page', depth: 0, priority: 0 },
    url: address,
    host: address ? hostOf(address) : scraperHost(job.scraper.id),
    input: input ? JSON.stringify(input) : null,
    itemId: null,
    way: 'http',
    wayWhy: null,
    startAt: 0,
    gapMs: 0,
  }
}
