// The context of a trace as text, as W3C writes it in `traceparent`: what carries a trace through headers, messages and the store.
import { createHash, randomBytes } from 'node:crypto'

const form = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** In place of a span where there is none: the trace begins with whatever comes below it. */
const noSpan = '0'.repeat(16)

/** A header as somebody sent it; null where it is none that can be gone on with. */
export function parseTraceparent(given: unknown): string | null {
  const [, trace, span, flags] = (typeof given === 'string' && form.exec(given.trim())) || []
  if (trace === undefined || span === noSpan) return null
  return write(trace, span!, (Number.parseInt(flags!, 16) & 1) === 1)
}

const write = (trace: string, span: string, isSampled: boolean): string =>
  `00-${trace}-${span}-${isSampled ? '01' : '00'}`

/** A trace with nothing in it yet; `isChosen` decides by its id whether it is recorded. */
export function newTrace(isChosen: (traceId: string) => boolean): string {
  const trace = randomBytes(16).toString('hex')
  return write(trace, noSpan, isChosen(trace))
}

export const traceIdOf = (traceparent: string): string => traceparent.slice(3, 35)

/** Null where nothing is above. */
export function spanIdOf(traceparent: string): string | null {
  const span = traceparent.slice(36, 52)
  return span === noSpan ? null : span
}

export const isSampled = (traceparent: string | null): boolean => traceparent?.endsWith('-01') ?? false

/** Another span of the same trace. */
export const anotherSpan = (traceparent: string, span = randomBytes(8).toString('hex')): string =>
  write(traceIdOf(traceparent), span, isSampled(traceparent))

export const asSampled = (traceparent: string, sampled: boolean): string =>
  `${traceparent.slice(0, 53)}${sampled ? '01' : '00'}`

/** The span of a job is known by its id, so that whoever does a part of the job need not be told of it. */
export const spanOfJob = (jobId: string): string =>
  createHash('sha256').update(jobId).digest('hex').slice(0, 16)

/** Which share of all traces are recorded, judged by the part of the id that is random: the same everywhere. */
export const isWithin =
  (ratio: number) =>
  (traceId: string): boolean =>
    Number.parseInt(traceId.slice(-13), 16) < ratio * 16 ** 13
