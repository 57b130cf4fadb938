// Regular expressions in XPath. They use RE2, which runs in linear time.

import { createRequire } from 'node:module'
import { xpathRefusal } from './xpath-refusal.ts'

interface LinearPattern {
  test(text: string): boolean
}

type Engine = Pick<typeof import('re2js'), 'RE2JS'>
let engine: Engine | undefined

const maxKept = 100
const kept = new Map<string, LinearPattern>()

/** Compiles a pattern and caches it. `flags` are those of EXSLT and XPath 2.0: `i`, `m`, `s`, and `g`, which has no
 *  effect. */
export function linearPattern(pattern: string, flags: string, source: string): LinearPattern {
  const key = `${flags}/${pattern}`
  const known = kept.get(key)
  if (known !== undefined) return known
  const compiled = compile(pattern, flags, source)
  if (kept.size >= maxKept) kept.clear()
  kept.set(key, compiled)
  return compiled
}

function compile(pattern: string, flags: string, source: string): LinearPattern {
  const at = Math.max(0, source.indexOf(pattern))
  const unknown = /[^gims]/.exec(flags)?.[0]
  if (unknown !== undefined)
    throw xpathRefusal(source, `the flag "${unknown}" is not supported; use i, m, s or g`, at)
  if (pattern.length > maxLength)
    throw xpathRefusal(source, `the pattern is longer than ${maxLength} characters`, at)
  engine ??= createRequire(import.meta.url)('re2js') as Engine
  const { RE2JS } = engine
  const bits = { i: RE2JS.CASE_INSENSITIVE, m: RE2JS.MULTILINE, s: RE2JS.DOTALL, g: 0 }
  let all = 0
  for (const flag of flags) all |= bits[flag as keyof typeof bits]
  try {
    return RE2JS.compile(pattern, all)
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error)
    throw xpathRefusal(source, `/${pattern}/ is not a valid RE2 pattern: ${why}`, at)
  }
}

const maxLength = 1_000
