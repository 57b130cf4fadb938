// Raw pages of ended jobs, and what language models answered, go when their time is over: looked at when work begins, and every hour after.
import type { Settings } from '../config/settings.ts'
import { forgetModelAnswers } from '../extract/llm/model.ts'
import type { Emit } from '../model/events.ts'
import { asFailure } from '../model/failures.ts'
import type { Blobs } from '../ports/blobs.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import { applyRetention, type RetentionRule } from '../results/retention.ts'

const everyMs = 3_600_000

export interface RetentionParts {
  store: Pick<Store, 'jobs'>
  blobs: Blobs
  clock: Clock
  emit: Emit
}

/** Goes on beside the work until it is disposed; what goes wrong is said, and tried again the next hour. */
export function keepRawInBounds(
  parts: RetentionParts,
  settings: Pick<Settings, 'rawRetention' | 'rawMaxBytes' | 'answerRetention'>,
): AsyncDisposable {
  const stop = new AbortController()
  const { rawRetention, rawMaxBytes, answerRetention } = settings
  const rule = { maxAgeMs: rawRetention, maxBytes: rawMaxBytes, answerMs: answerRetention }
  const running = tidyHourly(parts, rule, stop.signal)
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}

interface Bounds extends RetentionRule {
  /** How long an answer of a language model is worth keeping. */
  answerMs: number
}

async function tidyHourly(parts: RetentionParts, rule: Bounds, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await tidy(parts, rule).catch(error =>
      say(parts, `raw pages were not tidied: ${asFailure(error).message}`),
    )
    await parts.clock.sleep(everyMs, signal).catch(() => {})
  }
}

async function tidy(parts: RetentionParts, rule: Bounds): Promise<void> {
  await forgetModelAnswers(parts.blobs, parts.clock.now() - rule.answerMs)
  const gone = await applyRetention(parts, rule, parts.clock.now())
  if (gone.segments === 0) return
  parts.emit('raw.expired', gone)
  const size = `${(gone.bytes / 1e6).toFixed(1)} MB`
  say(
    parts,
    `deleted ${size} of raw pages of ended jobs (see SCRAPER_RAW_RETENTION and SCRAPER_RAW_MAX_BYTES)`,
  )
}

const say = ({ emit }: RetentionParts, message: string): void =>
  emit('notice.given', { jobId: null, message })
