// The action of kscrape reextract: progress, Ctrl-C, result and exit code.
import { loadSettings } from '../../config/load.ts'
import type { Failure } from '../../model/failures.ts'
import { outputOf } from '../../pipeline/submit/output-of.ts'
import type { Reextraction } from '../../ports/store.ts'
import { reextract } from '../../roles/local/reextract.ts'
import { exitCodes } from '../exit-codes.ts'
import { settingsOf } from '../flags/flag-spec.ts'
import type { CommonFlags, OutputFlags } from '../flags/flags.ts'
import { safe, type Talk, talkOn } from '../talk.ts'

export interface ReextractFlags extends CommonFlags, OutputFlags {
  rules?: string
  scraper?: string
  llmTokens?: number
}

type Done = Reextraction['done']

/** Interval of progress lines if the output is not a terminal. */
const lineEveryMs = 10_000

/** Maximum number of printed failures. A few show the problem; thousands would hide it. */
const failuresShown = 5

export async function reextractWith(jobId: string, flags: ReextractFlags): Promise<void> {
  const talk = talkOn(process.stderr, flags)
  const outputs = (flags.output ?? []).map(outputOf)
  const { rules: rulesFile, scraper, llmTokens } = flags
  const stop = new AbortController()
  const stopOnce = () => stop.abort()
  process.once('SIGINT', stopOnce).once('SIGTERM', stopOnce)
  try {
    const done = await reextract(
      await loadSettings(settingsOf(flags)),
      { jobId, rulesFile, scraper, llmTokens, outputs },
      { events: eventsOf(talk), stdout: process.stdout, signal: stop.signal },
    )
    sayDone(talk, jobId, done)
    for (const { path } of outputs) if (path !== '-') talk.say(`  wrote ${path}`)
    process.exitCode = exitCodeOf(done)
  } catch (error) {
    if (!stop.signal.aborted) throw error
    talk.say('\nstopped; the same command continues from here')
    process.exitCode = exitCodes.interrupted
  } finally {
    process.off('SIGINT', stopOnce).off('SIGTERM', stopOnce)
  }
}

function eventsOf(talk: Talk) {
  let failed = 0
  let saidAt = Date.now()
  return {
    progress: (done: Done, maker: string) => {
      talk.tell({ progress: factsOf(done), maker })
      if (talk.isTerminal && !talk.quiet) process.stderr.write(`\r\x1b[K${maker}: ${textOf(done)}`)
      if (talk.isTerminal || Date.now() - saidAt < lineEveryMs) return
      saidAt = Date.now()
      talk.say(`${maker}: ${textOf(done)}`)
    },
    failed: (task: string, { code, message }: Failure) => {
      if (++failed <= failuresShown) talk.say(`${lineStart(talk)}${task}: ${safe(message)} (${code})`)
    },
  }
}

const lineStart = (talk: Talk): string => (talk.isTerminal ? '\r\x1b[K' : '')

function sayDone(talk: Talk, jobId: string, done: Done): void {
  talk.tell({ ended: { job_id: jobId, ...factsOf(done) } })
  talk.say(`${lineStart(talk)}${talk.colors.green('done')} ${jobId}: ${textOf(done)}`)
  if (done.failed + done.notKept > 0) talk.say('  these keep their old records')
}

function textOf({ pages, records, rescued, failed, notKept }: Done): string {
  const rest = [
    ...(rescued > 0 ? [`${rescued} of them had failed before`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(notKept > 0 ? [`${notKept} whose page is not stored`] : []),
  ]
  return [`${records} records from ${pages} pages`, ...rest].join(', ')
}

const factsOf = ({ pages, records, rescued, failed, notKept }: Done) => ({
  pages,
  records,
  rescued,
  failed,
  not_kept: notKept,
})

function exitCodeOf({ pages, records, failed, notKept }: Done): number {
  if (failed + notKept > 0) return pages === 0 ? exitCodes.error : exitCodes.someFailed
  return records === 0 ? exitCodes.nothing : exitCodes.ok
}
