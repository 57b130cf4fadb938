// The edge: bodies and queries come in snake_case and are checked in camelCase, answers go the other way.
import * as z from 'zod'
import { type Problem, problemsOf } from '../lib/problems.ts'
import { RecentMap } from '../lib/recent-map.ts'
import { Failure } from '../model/failures.ts'
import { callersOwn, camel, mapKeys, snake } from '../model/letter-case.ts'

/** For Fastify: checks one part of a request against a zod schema in camelCase. */
export const checkedBy = ({ schema, httpPart }: { schema: unknown; httpPart?: string | undefined }) =>
  httpPart === 'params' ? checkedPath(schema as z.ZodType) : checkedInput(schema as z.ZodType)

type Checked = { value: unknown } | { error: Failure }

/** What is in the path is named by ourselves, and flat. What was right before is right again: status is asked for over and over. */
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
    const parsed = schema.safeParse(mapKeys(given, camel))
    if (parsed.success) return { value: parsed.data }
    return { error: invalid(problemsOf(parsed.error, { known, spell: snake })) }
  }
}

/** A path whose ids can't be ids leads nowhere. */
const nowhere = ([problem]: Problem[]): Failure =>
  new Failure('route.unknown', `there is nothing here: ${problem?.path} is ${problem?.message}`, {
    path: problem?.path,
  })

/** Deeper than anything that is meant, and less than it takes to use up the stack. */
const mostDepth = 100

/** Level by level, so that it uses no stack itself. */
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
  const lines = problems.slice(0, 20).map(({ path, message }) => `${path}: ${message}`)
  const more = problems.length > 20 ? `; and ${problems.length - 20} more` : ''
  return new Failure('input.invalid', `the request can't be accepted: ${lines.join('; ')}${more}`, {
    path: problems[0]?.path,
    problems,
  })
}

/** `seedUrls` would do what `seed_urls` does, and one of the two could silently win. */
function misspeltKeys(value: unknown, path = ''): Problem[] {
  if (Array.isArray(value)) return value.flatMap((entry, index) => misspeltKeys(entry, `${path}[${index}]`))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, entry]) => {
    const at = path === '' ? key : `${path}.${key}`
    if (/[A-Z]/.test(key)) return [{ path: at, message: `unknown; did you mean "${snake(key)}"?` }]
    return callersOwn.has(key) ? [] : misspeltKeys(entry, at)
  })
}

/** Every key that would be right somewhere in it, for "did you mean". */
function keysOf(schema: z.core.$ZodType, seen = new Set<z.core.$ZodType>()): string[] {
  if (seen.has(schema)) return []
  seen.add(schema)
  const { def } = schema._zod as unknown as { def: Record<string, unknown> }
  const shape = def.shape as Record<string, z.core.$ZodType> | undefined
  const inner = [def.innerType, def.element, def.in, ...((def.options as unknown[]) ?? [])]
  const nested = [...Object.values(shape ?? {}), ...inner].filter(entry => entry instanceof z.core.$ZodType)
  return [...new Set([...Object.keys(shape ?? {}), ...nested.flatMap(entry => keysOf(entry, seen))])]
}
