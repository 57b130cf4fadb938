// The W3C `traceparent` text, which identifies a trace in headers, messages and the store.
import { randomBytes } from 'node:crypto'

const form = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Parses a received header; null if it is not valid. */
export function parseTraceparent(given: unknown): string | null {
  const [, trace, span, flags] = (typeof given === 'string' && form.exec(given.trim())) || []
  return trace === undefined ? null : write(trace, span!, (Number.parseInt(flags!, 16) & 1) === 1)
}

const write = (trace: string, span: string, isSampled: boolean): string =>
  `00-${trace}-${span}-${isSampled ? '01' : '00'}`

const newSpanId = (): string => randomBytes(8).toString('hex')

/** The first span of a new trace. `isChosen` decides by the trace id whether the trace is recorded. */
export function newTrace(isChosen: (traceId: string) => boolean): string {
  const trace = randomBytes(16).toString('hex')
  return write(trace, newSpanId(), isChosen(trace))
}

/** Another span of the same trace. */
export const anotherSpan = (traceparent: string): string =>
  write(traceIdOf(traceparent), newSpanId(), isSampled(traceparent))

export const traceIdOf = (traceparent: string): string => traceparent.slice(3, 35)

export const spanIdOf = (traceparent: string): string => traceparent.slice(36, 52)

export const isSampled = (traceparent: string | null): boolean => traceparent?.endsWith('-01') ?? false

export const asSampled = (traceparent: string, sampled: boolean): string =>
  `${traceparent.slice(0, 53)}${sampled ? '01' : '00'}`

/** Whether a trace is recorded, at this sampling rate. The random part of the trace id decides, so that all processes
 *  agree. */
export const isWithin =
  (ratio: number) =>
  (traceId: string): boolean =>
    Number.parseInt(traceId.slice(-13), 16) < ratio * 16 ** 13
