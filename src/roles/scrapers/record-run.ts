// Records a real run with the full engine, and stores every exchange.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import type { Loaded } from '../../config/load.ts'
import { parseCookieFile } from '../../fetch/http/index.ts'
import { readTextFile } from '../../lib/text/text-file.ts'
import { Failure, type FailureCode } from '../../model/failures.ts'
import type { Job, JobSpecInput } from '../../model/job.ts'
import type { RecordData } from '../../model/record.ts'
import { parseJobSpec } from '../../pipeline/submit/submit-job.ts'
import type { Scraper } from '../../scraper/define-scraper.ts'
import { Engine } from '../engine.ts'
import { KnownSecrets } from './known-secrets.ts'
import { Recorder } from './recorder.ts'
import { cutJson } from './remove-secrets.ts'
import type { RunStart } from './run-over.ts'

interface RecordRequest {
  loaded: Loaded
  start: RunStart
  scraperId: string
  /** Scrapers as code. Without them, the id names a scraper file or a built-in scraper. */
  scrapers?: Scraper[]
  /** Job settings such as headers and rate. */
  spec?: JobSpecInput
  stop?: AbortSignal
}

export interface RecordedRun {
  /** The exchanges as a WARC file. */
  recording: Buffer
  exchanges: number
  /** The input row without its secrets; undefined if the run started with a URL. */
  input: Record<string, unknown> | undefined
  records: RecordData[]
}

export async function recordRun(request: RecordRequest): Promise<RecordedRun> {
  const { start, spec } = request
  const recorder = new Recorder()
  const records = await runRecorded(request, recorder)
  const known = secretsOf(spec ?? {})
  const row = start.input && (cutJson(start.input, known.add) as Record<string, unknown>)
  const recording = recorder.write(known)
  const input = row && (JSON.parse(known.cutText(JSON.stringify(row))) as Record<string, unknown>)
  return { recording, exchanges: recorder.count, input, records }
}

async function runRecorded(request: RecordRequest, recorder: Recorder): Promise<RecordData[]> {
  await using opened = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'kscrape-record-'))
  opened.defer(() => rm(dataDir, { recursive: true, force: true }))
  const { loaded, scrapers = [], stop = new AbortController().signal } = request
  const settings = { ...loaded.settings, dataDir }
  const engine = opened.use(
    await Engine.open(
      { ...loaded, settings },
      {
        command: 'scrapers test --record',
        stop,
        stdout: nowhere(),
        scrapers,
        lanes: 0,
        fetchLayer: recorder.layer,
      },
    ),
  )
  const job = await engine.submit(parseJobSpec(specOf(request)))
  await engine.run()
  return await recordsOf(engine, job)
}

/** Only one attempt, because a second one would record a second response for each request. */
function specOf({ start, scraperId, spec = {} }: RecordRequest): JobSpecInput {
  const source = start.input ? { items: [{ input: start.input }] } : { urls: [start.url ?? ''] }
  const policy = { ...spec.policy, retries: { ...spec.policy?.retries, attempts: 0 } }
  return { ...spec, ...source, scraperId, policy, output: [], results: { raw: 'none' } }
}

async function recordsOf(engine: Engine, job: Job): Promise<RecordData[]> {
  const { store } = engine.data
  const task = await store.tasks.get(job.id, 1)
  if (task?.state !== 'succeeded')
    throw new Failure(
      (task?.reason ?? 'job.cancelled') as FailureCode,
      `nothing was recorded: ${task?.message ?? task?.reason ?? 'the run was stopped'}`,
    )
  return (await store.records.ofTask(job.id, 1)).map(record => JSON.parse(record.data) as RecordData)
}

/** Headers that the job adds to every request. The recorder does not see them, but a page may echo them. */
function secretsOf({ headers = {}, cookiesFile }: JobSpecInput): KnownSecrets {
  const known = new KnownSecrets()
  for (const [name, value] of Object.entries(headers)) known.addHeader(name, value)
  for (const { value } of cookiesFile ? parseCookieFile(readTextFile(cookiesFile)) : [])
    known.add(value, 'weak')
  return known
}

const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() })
