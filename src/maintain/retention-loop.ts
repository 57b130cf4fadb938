// Runs retention at start and then periodically.
import type { Settings } from '../config/settings.ts'
import { formatBytes } from '../lib/text/units.ts'
import type { Emit } from '../model/events.ts'
import { asFailure } from '../model/failures.ts'
import { hasEnded } from '../model/job.ts'
import { type FreedByKind, keptKinds } from '../model/policy/retention.ts'
import type { Clock } from '../ports/clock.ts'
import type { DataDirectory } from '../roles/data-directory.ts'
import { applyRetention, type RetentionRules } from './apply-retention.ts'
import { deleteJobData } from './delete-job.ts'
import { jobFilesIn } from './retained-files.ts'

const rulesOf = (settings: Settings): RetentionRules => ({
  rawMs: settings.rawRetention,
  rawMaxBytes: settings.rawMaxBytes,
  artifactsMs: settings.artifactRetention ?? settings.rawRetention,
  recordsMs: settings.recordRetention,
  exportsMs: settings.exportRetention,
  webhooksMs: settings.webhookRetention,
  uploadsMs: settings.uploadRetention,
  answersMs: settings.answerRetention,
  jobsMs: settings.jobRetention,
})

interface Around {
  clock: Clock
  emit: Emit
}

/** Deletes expired data once and returns what was deleted. */
export async function deleteExpired(
  data: DataDirectory,
  settings: Settings,
  { clock, emit }: Around,
  options: { dryRun?: boolean; compact?: boolean; signal?: AbortSignal } = {},
): Promise<FreedByKind> {
  const { store, blobs } = data
  const deleteJob = async (jobId: string): Promise<void> => {
    const job = await store.jobs.get(jobId)
    // The job was deleted or resumed since the check.
    if (!job || !hasEnded(job.state)) return
    await deleteJobData(data, jobId)
    emit('job.deleted', { jobId })
  }
  const parts = { store, blobs, files: jobFilesIn(data), now: clock.now(), deleteJob }
  const freed = await applyRetention(parts, rulesOf(settings), options)
  if (options.compact && !options.dryRun) await store.erasure.scrub()
  return freed
}

/** Runs retention in the background until disposed. Failures are logged, and the next run retries. */
export function runRetention(data: DataDirectory, settings: Settings, around: Around): AsyncDisposable {
  const stop = new AbortController()
  const running = repeatRetention(data, settings, around, stop.signal)
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}

async function repeatRetention(
  data: DataDirectory,
  settings: Settings,
  around: Around,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await deleteExpired(data, settings, around, { signal })
      .then(freed => tell(around, freed))
      .catch(error => say(around, `expired data was not deleted: ${asFailure(error).message}`))
    if (settings.gcEvery === 0) return
    await around.clock.sleep(settings.gcEvery, signal).catch(() => {})
  }
}

function tell(around: Around, freed: FreedByKind): void {
  const { raw, artifacts } = freed
  const segments = raw.removed + artifacts.removed
  if (segments > 0) around.emit('raw.expired', { segments, bytes: raw.bytes + artifacts.bytes })
  const text = freedText(freed)
  if (text !== '') say(around, `deleted expired data: ${text} (docs/backup-retention-erasure.md)`)
}

/** What was deleted, as text: `12 raw (3.4 MB), 1 jobs`. Empty if nothing was deleted. */
const freedText = (freed: FreedByKind): string =>
  keptKinds
    .filter(kind => freed[kind].removed > 0)
    .map(kind => {
      const { removed, bytes } = freed[kind]
      return `${removed} ${kind}${bytes > 0 ? ` (${formatBytes(bytes)})` : ''}`
    })
    .join(', ')

const say = ({ emit }: Around, message: string): void => emit('notice.given', { jobId: null, message })
