// Feeds a sink: records are sent in commit order, each at least once. Refused records are stored with the reason.
import { asFailure, type Failure } from '../../../model/failures.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { RecordSink, Sent, SinkRecord } from '../../../ports/record-sink.ts'
import type { DeadLetter, SinkStore } from '../../../ports/service-stores.ts'

export interface FeedParts {
  /** The name under which the sink's position is stored. */
  name: string
  sinks: SinkStore
  sink: RecordSink
  clock: Clock
  random: () => number
  /** Number of records per batch. */
  batch: number
  tell: (event: FeedEvent) => void
}

export type FeedEvent =
  | { is: 'sent'; records: number; dead: number }
  | { is: 'trouble'; failure: Failure; waitMs: number }

const lookEveryMs = 500
const longestWaitMs = 60_000
/** Maximum number of times that a record is sent if the sink refuses it temporarily. After that, the record is stored as refused. */
const mostTries = 8

/** Feeds the sink until the signal aborts. If the sink is down, it retries from the stored position, so no record is lost. */
export async function feedSink(parts: FeedParts, signal: AbortSignal): Promise<void> {
  for (let troubles = 0; !signal.aborted; )
    try {
      const sent = await feedOnce(parts, signal)
      troubles = 0
      if (sent === 0) await parts.clock.sleep(lookEveryMs, signal).catch(() => {})
    } catch (error) {
      if (signal.aborted) return
      await rest(parts, asFailure(error), ++troubles, signal)
    }
}

/** Sends one batch, and returns the number of records. */
export async function feedOnce(parts: FeedParts, signal: AbortSignal): Promise<number> {
  const { name, sinks, batch, tell } = parts
  const records = await sinks.next(name, batch)
  if (records.length === 0) return 0
  const dead = await sendUntilSettled(parts, records, signal)
  await sinks.advance(name, records.at(-1)!.seq, dead)
  tell({ is: 'sent', records: records.length - dead.length, dead: dead.length })
  return records.length
}

/** Sends the records. If the sink refuses some of them temporarily, sends only these again. Returns the records that the
 *  sink refuses permanently. */
async function sendUntilSettled(
  parts: FeedParts,
  records: SinkRecord[],
  signal: AbortSignal,
): Promise<DeadLetter[]> {
  const dead: DeadLetter[] = []
  let left = records
  for (let tries = 1; left.length > 0; tries += 1) {
    const answers = await parts.sink.send(left, signal)
    const late: SinkRecord[] = []
    for (const [index, record] of left.entries()) {
      const answer = answers[index]!
      if (answer.is === 'dead' || (answer.is === 'later' && tries >= mostTries))
        dead.push(letterOf(record, answer.reason, parts.clock.now()))
      else if (answer.is === 'later') late.push(record)
    }
    left = late
    if (left.length > 0) await parts.clock.sleep(waitAfter(parts, tries), signal)
  }
  return dead
}

const firstWaitMs = 500

/** The wait before the next try: it doubles each time, and up to half of it is random. */
const waitAfter = ({ random }: FeedParts, tries: number): number =>
  Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(tries - 1, 10)) * (0.5 + random() / 2)

async function rest(
  parts: FeedParts,
  failure: Failure,
  troubles: number,
  signal: AbortSignal,
): Promise<void> {
  const asked = Number(failure.details.retryAfterMs) || 0
  const waitMs = Math.min(longestWaitMs, Math.max(asked, waitAfter(parts, troubles)))
  parts.tell({ is: 'trouble', failure, waitMs })
  await parts.clock.sleep(waitMs, signal).catch(() => {})
}

const letterOf = ({ jobId, n, index, seq }: SinkRecord, reason: string, at: number): DeadLetter => ({
  ...{ jobId, n, index, seq, reason, at },
})

const lettersAtOnce = 500

/** Sends refused records again in their current form. Returns how many were accepted, refused again, or deleted. */
export async function resendDead(
  { name, sinks, sink, clock }: Pick<FeedParts, 'name' | 'sinks' | 'sink' | 'clock'>,
  signal: AbortSignal,
): Promise<{ taken: number; refused: number; gone: number }> {
  const counts = { taken: 0, refused: 0, gone: 0 }
  for (let after = 0; ; ) {
    const letters = await sinks.deadLetters(name, { after, limit: lettersAtOnce })
    if (letters.length === 0) return counts
    after = letters.at(-1)!.place
    const records = await sinks.records(letters)
    const answers = await sink.send(records, signal)
    const outcomes = letters.map(({ place, ...letter }) => ({
      place,
      ...verdictOn(letter, records, answers),
    }))
    for (const { is } of outcomes) counts[is] += 1
    await sinks.settleDead(name, outcomes, clock.now())
  }
}

function verdictOn(
  letter: DeadLetter,
  records: SinkRecord[],
  answers: Sent[],
): { is: 'taken' | 'refused' | 'gone'; reason: string | null } {
  const index = records.findIndex(
    ({ jobId, n, index: idx }) => jobId === letter.jobId && n === letter.n && idx === letter.index,
  )
  const answer = answers[index]
  if (!answer) return { is: 'gone', reason: null }
  return answer.is === 'taken' ? { is: 'taken', reason: null } : { is: 'refused', reason: answer.reason }
}
