// Messages of the regex thread, and the check of patterns.
import { Failure } from '../model/failures.ts'

export interface RegexJob {
  pattern: string
  flags: string
  text: string
  /** All matches, not only the first. */
  many: boolean
}

/** The matches (first group, or whole match), or why there are none. */
export type RegexAnswer = { found: string[] } | { why: string }

/** Shared with the thread: [number of the current job, from 1; its start time in the low 31 bits of the clock]. */
export type RegexProgress = Int32Array<SharedArrayBuffer>

/** Runs jobs in order; never rejects because of a pattern. */
export interface RegexRunner extends AsyncDisposable {
  run(jobs: RegexJob[]): Promise<RegexAnswer[]>
}

const maxPatternLength = 1_000
export const maxInputLength = 1_000_000

/** The low bits of the clock fit a shared cell; differences stay right for 24 days. */
export const clockMark = (now: number): number => now & 0x7fffffff

const inlineFlags = /^\(\?([ims]+)\)/

/** Checks a user's pattern. `(?i)`, `(?m)` and `(?s)` at the start become flags. Uses Unicode mode if the pattern is valid
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
    // In the older syntax `\k<x>` without such a group silently means the letter k.
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

/** The engine's word for flags at the wrong place is only "Invalid group". */
function problemOf(pattern: string, error: unknown): string {
  const flags = /\(\?([a-zA-Z]+)\)/.exec(pattern)?.[1]
  if (flags === undefined) return reasonOf(error)
  return /^[ims]+$/.test(flags)
    ? `"(?${flags})" sets flags and must stand at the start; for a part write "(?${flags}:…)"`
    : `"(?${flags})" sets flags that do not exist here; "i", "m" and "s" do`
}

const reasonOf = (error: unknown): string => String((error as Error).message).replace(/^.*: /, '')

function invalid(path: string, pattern: string, why: string): Failure {
  const shown = pattern.length > 100 ? `${pattern.slice(0, 100)}…` : pattern
  return new Failure('input.invalid', `${path}: /${shown}/ is not a regular expression: ${why}`, {
    path,
    value: shown,
  })
}
