// Parses limits: pages=500, bytes=2GB, browser=30m, money=5, or none.
import { parseBytes, parseDuration } from '../../lib/text/units.ts'
import { Failure } from '../../model/failures.ts'
import type { LimitName, Limits } from '../../model/policy/policy.ts'

const names: Readonly<Record<string, LimitName>> = {
  pages: 'pages',
  bytes: 'bytes',
  browser: 'browserSeconds',
  money: 'money',
}

/** A limit as typed. `isMore` (a plus) adds to the current limit. A null value removes the limit. */
export interface TypedLimit {
  name: LimitName
  value: number | null
  isMore: boolean
}

export function parseLimit(text: string): TypedLimit {
  const [, word = '', plus = '', amount = ''] = /^([a-z]+)=(\+?)(.+)$/.exec(text.trim().toLowerCase()) ?? []
  const name = Object.hasOwn(names, word) ? names[word] : undefined
  if (!name) throw new Failure('input.invalid', `"${text}" is not a limit; write it like ${examples}`)
  if (amount === 'none') return { name, value: null, isMore: false }
  return { name, value: amountOf(name, amount), isMore: plus === '+' }
}

const examples = 'pages=500, bytes=2GB, browser=30m or money=5'

function amountOf(name: LimitName, text: string): number {
  if (name === 'bytes') return parseBytes(text)
  if (name === 'browserSeconds') return parseDuration(/^\d+$/.test(text) ? `${text}s` : text) / 1_000
  const value = Number(text)
  if (Number.isFinite(value) && value > 0 && (name === 'money' || Number.isInteger(value))) return value
  throw new Failure(
    'input.invalid',
    `"${text}" is not a valid ${name === 'money' ? 'amount' : 'number of pages'}`,
  )
}

/** The limits of a new job, which has no limits to add to or to remove. */
export function limitsOf(typed: readonly TypedLimit[]): Limits {
  const odd = typed.find(({ isMore, value }) => isMore || value === null)
  if (odd)
    throw new Failure(
      'input.invalid',
      '--limit of a new job must be an amount; + and none are only for `jobs raise`',
    )
  return Object.fromEntries(typed.map(({ name, value }) => [name, value]))
}

/** The new limits of a job that already has some. */
export const changeOf = (
  typed: readonly TypedLimit[],
  before: Limits,
): Partial<Record<LimitName, number | null>> =>
  Object.fromEntries(
    typed.map(({ name, value, isMore }) => [
      name,
      isMore && value !== null ? (before[name] ?? 0) + value : value,
    ]),
  )

/** The limits as text for messages. */
export const limitText = (limits: Limits): string[] => [
  ...(limits.pages === undefined ? [] : [`${limits.pages} pages`]),
  ...(limits.bytes === undefined ? [] : [`${limits.bytes} bytes`]),
  ...(limits.browserSeconds === undefined ? [] : [`${limits.browserSeconds} s in browsers`]),
  ...(limits.money === undefined ? [] : [`${limits.money} of money`]),
]
