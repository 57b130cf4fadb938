// Messages to and from the regex thread, and the validation of patterns.
import { Failure } from '../model/failures.ts'

export interface RegexJob {
  pattern: string
  flags: string
  text: string
  /** True to find all matches, false for only the first one. */
  many: boolean
}

/** The matches, or the reason why there are none. A match is the first group that matched, or the whole match if the
 *  pattern has no group. */
export type RegexAnswer = { found: string[] } | { why: string }

/** Memory shared with the thread. Cell 0 has the number of the current job, starting at 1. Cell 1 has its start time as
 *  a `clockMark`. */
export type RegexProgress = Int32Array<SharedArrayBuffer>

/** Runs jobs in order. Never rejects because of a pattern. */
export interface RegexRunner extends AsyncDisposable {
  run(jobs: RegexJob[]): Promise<RegexAnswer[]>
}

const maxPatternLength = 1_000
export const maxInputLength = 1_000_000

/** The low 31 bits of the clock in ms, so that a time fits into one cell of shared memory. Differences are
 *  right for 24 days. */
export const clockMark = (now: number): number => now & 0x7fffffff

const inlineFlags = /^\(\?([ims]+)\)/

/** Validates a pattern. `(?i)`, `(?m)` and `(?s)` at the start become flags. Uses Unicode mode if the pattern is valid
 *  in it; otherwise (`\-`, `\"`) the older, lenient syntax. */
export function compilePattern(written: string, path: string): { pattern: string; flags: string } {
  if (written.length > maxPatternLength) {
    throw invalid(path, written, `longer than ${maxPatternLength} characters`)
  }
  const inline = inlineFlags.exec(written)?.[1] ?? ''
  const pattern = inline === '' ? written : written.slice(inline.length + 3)
  const flags = [...new Set(inline)].join('')
  return { pattern, flags: `${flags}${unicodeFlag(pattern, written, path)}` }
}

function unicodeFlag(pattern: string, written: string, path: string): 'u' | '' {
  try {
    new RegExp(pattern, 'u')
    return 'u'
  } catch (strict) {
    // Without the flag `u`, a `\k<x>` for which no group `x` exists silently means the letter k.
    if (pattern.includes('\\k<') || !isForgiven(pattern))
      throw invalid(path, written, problemOf(pattern, strict))
    return ''
  }
}

function isForgiven(pattern: string): boolean {
  try {
    new RegExp(pattern)
    return true
  } catch {
    return false
  }
}

/** A better message for flags in the wrong place, which the engine reports only as "Invalid group". */
function problemOf(pattern: string, error: unknown): string {
  const flags = /\(\?([a-zA-Z]+)\)/.exec(pattern)?.[1]
  if (flags === undefined) return reasonOf(error)
  return /^[ims]+$/.test(flags)
    ? `"(?${flags})" sets flags and must be at the start; for a part of the pattern write "(?${flags}:…)"`
    : `"(?${flags})" sets flags that are not supported; use "i", "m" or "s"`
}

const reasonOf = (error: unknown): string => String((error as Error).message).replace(/^.*: /, '')

function invalid(path: string, pattern: string, why: string): Failure {
  const shown = pattern.length > 100 ? `${pattern.slice(0, 100)}…` : pattern
  return new Failure('input.invalid', `${path}: /${shown}/ is not a regular expression: ${why}`, {
    path,
    value: shown,
  })
}
