// Converts the letter case of field names: snake_case in requests and responses, camelCase inside.
import * as z from 'zod'
import { checkInParts } from '../../lib/check-in-parts.ts'
import { RecentMap } from '../../lib/collections/recent-map.ts'
import { mostProblems, type Problem, problemsOf } from '../../lib/text/problems.ts'
import { Failure } from '../../model/failures.ts'
import { callersOwn, camel, mapKeys, snake } from '../../model/letter-case.ts'

/** For Fastify: validates one part of a request with a camelCase zod schema. */
export const checkedBy = ({ schema, httpPart }: { schema: unknown; httpPart?: string | undefined }) =>
  httpPart === 'params' ? checkedPath(schema as z.ZodType) : checkedInput(schema as z.ZodType)

type Checked = { value: unknown } | { error: Failure }

/** Validates path parameters. Their names need no conversion. Valid values are cached, because status requests repeat them. */
function checkedPath(schema: z.ZodType): (given: unknown) => Checked {
  const right = new RecentMap<string, Checked>(rememberedPaths)
  return given => {
    const text = Object.values(given as Record<string, string>).join('\n')
    const known = right.get(text)
    if (known) return known
    const parsed = schema.safeParse(given)
    if (!parsed.success) return { error: nowhere(problemsOf(parsed.error, { spell: snake })) }
    const checked = { value: parsed.data }
    right.set(text, checked)
    return checked
  }
}

const rememberedPaths = 100

function checkedInput(schema: z.ZodType): (given: unknown) => Checked {
  const known = keysOf(schema)
  return given => {
    if (isTooDeep(given)) return { error: invalid([{ path: '(whole)', message: 'nested too deeply' }]) }
    const misspelt = misspeltKeys(given)
    if (misspelt.length > 0) return { error: invalid(misspelt) }
    const parsed = checkInParts(schema, mapKeys(given, camel))
    if (parsed.success) return { value: parsed.data }
    return { error: invalid(problemsOf(parsed.error, { known, spell: snake })) }
  }
}

/** The failure for an invalid id in a path, which gives 404. */
const nowhere = ([problem]: Problem[]): Failure =>
  new Failure('route.unknown', `not found: ${problem?.path} is ${problem?.message}`, {
    path: problem?.path,
  })

/** Maximum depth of a body. Valid bodies are less deep, and recursive code can handle this depth. */
const mostDepth = 100

/** Checks level by level, because recursion could overflow the stack. */
function isTooDeep(value: unknown): boolean {
  let level = [value]
  for (let depth = 0; depth <= mostDepth; depth += 1) {
    level = level.flatMap(entry => (typeof entry === 'object' && entry !== null ? Object.values(entry) : []))
    if (level.length === 0) return false
  }
  return true
}

export const answerText = (payload: unknown): string => JSON.stringify(mapKeys(payload, snake))

function invalid(problems: Problem[]): Failure {
  const lines = problems.map(({ path, message }) => `${path}: ${message}`)
  const more = problems.length >= mostProblems ? '; there may be more' : ''
  return new Failure('input.invalid', `the request can't be accepted: ${lines.join('; ')}${more}`, {
    path: problems[0]?.path,
    problems,
  })
}

/** Refuses a camelCase name such as `seedUrls`. If the caller also sent `seed_urls`, one of the two would silently win.
 *  Returns at most `mostProblems`. */
function misspeltKeys(value: unknown): Problem[] {
  const problems: Problem[] = []
  findMisspelt(value, '', problems)
  return problems
}

function findMisspelt(value: unknown, path: string, problems: Problem[]): void {
  if (typeof value !== 'object' || value === null) return
  const isList = Array.isArray(value)
  for (const key in value) {
    if (problems.length >= mostProblems) return
    const isMisspelt = !isList && /[A-Z]/.test(key)
    const entry = (value as Record<string, unknown>)[key]
    if (!isMisspelt && (typeof entry !== 'object' || (!isList && callersOwn.has(key)))) continue
    const at = isList ? `${path}[${key}]` : path === '' ? key.slice(0, 200) : `${path}.${key.slice(0, 200)}`
    if (isMisspelt)
      problems.push({ path: at, message: `unknown; did you mean "${snake(key.slice(0, 200))}"?` })
    else findMisspelt(entry, at, problems)
  }
}

/** All valid keys of the schema, for the suggestion "did you mean". */
function keysOf(schema: z.core.$ZodType, seen = new Set<z.core.$ZodType>()): string[] {
  if (seen.has(schema)) return []
  seen.add(schema)
  const { def } = schema._zod as unknown as { def: Record<string, unknown> }
  const shape = def.shape as Record<string, z.core.$ZodType> | undefined
  const inner = [def.innerType, def.element, def.in, ...((def.options as unknown[]) ?? [])]
  const nested = [...Object.values(shape ?? {}), ...inner].filter(entry => entry instanceof z.core.$ZodType)
  return [...new Set([...Object.keys(shape ?? {}), ...nested.flatMap(entry => keysOf(entry, seen))])]
}
