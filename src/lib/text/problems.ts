// Lists the problems of an input, one per line, with path and remedy.
import type * as z from 'zod'
import { callersOwn } from '../../model/letter-case.ts'
import { suggest } from './suggest.ts'

export interface Problem {
  /** For example `policy.retries.attempts` or `items[3].input`. */
  path: string
  message: string
}

interface ProblemWording {
  /** Keys that are valid somewhere in the input, for "did you mean". */
  known?: readonly string[]
  /** Converts a key to the caller's letter case, such as snake_case. */
  spell?: (key: string) => string
}

/** Maximum number of reported problems. People read no more, and a hostile input can have a million. */
export const mostProblems = 20

/** Converts zod's issues to problems, at most `mostProblems`. Each unknown key is a problem of its own. */
export function problemsOf(error: z.ZodError, wording: ProblemWording = {}): Problem[] {
  const problems: Problem[] = []
  for (const issue of error.issues) {
    const left = mostProblems - problems.length
    if (left <= 0) break
    problems.push(...problemsOfIssue(issue, wording, left))
  }
  return problems
}

function problemsOfIssue(issue: z.core.$ZodIssue, wording: ProblemWording, most: number): Problem[] {
  const spell = (key: string) => shortened(wording.spell?.(key) ?? key)
  const path = pathText(issue.path, spell)
  if (issue.code !== 'unrecognized_keys') return [{ path: path || '(whole)', message: issueText(issue) }]
  return issue.keys.slice(0, most).map(key => ({
    path: path ? `${path}.${spell(key)}` : spell(key),
    message: unknownText(key, wording),
  }))
}

/** Shortens a key, because it can be as long as the input. */
const shortened = (key: string): string => (key.length > 200 ? `${key.slice(0, 200)}…` : key)

function pathText(path: ReadonlyArray<PropertyKey>, spell: (key: string) => string): string {
  let text = ''
  let isCallersOwn = false
  for (const part of path) {
    const word = isCallersOwn ? String(part) : spell(String(part))
    text += typeof part === 'number' ? `[${part}]` : text === '' ? word : `.${word}`
    isCallersOwn ||= callersOwn.has(word)
  }
  return text
}

/** The message of an issue. zod's message for a union or an invalid key has no details. So the message of the deepest
 *  inner issue is used. */
function issueText(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type' && issue.message.endsWith('received undefined'))
    return `missing; this field is required (${issue.expected})`
  if (issue.code === 'invalid_key' && issue.issues[0]) return issueText(issue.issues[0])
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return issue.message
  const furthest = [...issue.errors].sort((a, b) => depthOf(b) - depthOf(a))[0]?.[0]
  if (!furthest) return issue.message
  const at = pathText(furthest.path, key => key)
  return `${at ? `${at}: ` : ''}${issueText(furthest)}`
}

const depthOf = (issues: z.core.$ZodIssue[]): number => Math.max(0, ...issues.map(issue => issue.path.length))

function unknownText(key: string, { known = [], spell = word => word }: ProblemWording): string {
  if (known.includes(key)) return 'unknown at this place; it belongs elsewhere in this input'
  const close = suggest(key, known)
  return close ? `unknown; did you mean "${spell(close)}"?` : 'unknown'
}
