// Parses and formats durations, rates and sizes: 500ms, 5s, 1m30s; 2/s, 30/m, unlimited; 500MB, 2GB.
import { Failure } from '../../model/failures.ts'

const msOfUnit = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const
type Unit = keyof typeof msOfUnit

const wholeDuration = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/
const durationPart = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g
const rateText = /^(\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?:\/(s|m|h|d|sec|min|hour|day))?$/

/** The duration in whole milliseconds. */
export function parseDuration(text: string): number {
  const compact = text.trim().toLowerCase().replaceAll(' ', '')
  if (compact === '0') return 0
  if (!wholeDuration.test(compact)) throw notADuration(text)
  let total = 0
  for (const [, amount, unit] of compact.matchAll(durationPart))
    total += Number(amount) * msOfUnit[unit as Unit]
  return Math.round(total)
}

function notADuration(text: string): Failure {
  const hint = /^\d+(\.\d+)?$/.test(text.trim()) ? ` (did you mean ${text.trim()}s?)` : ''
  return new Failure(
    'input.invalid',
    `"${text}" is not a duration${hint}; write it like 500ms, 5s, 2m or 1h`,
    { value: text },
  )
}

/** Formats a duration. `parseDuration` parses the text to the same number of milliseconds. */
export function formatDuration(ms: number): string {
  let rest = Math.round(ms)
  let text = ''
  for (const unit of Object.keys(msOfUnit) as Unit[]) {
    const amount = Math.floor(rest / msOfUnit[unit])
    if (amount > 0) text += `${amount}${unit}`
    rest -= amount * msOfUnit[unit]
  }
  return text || '0s'
}

/** Requests per second, or `unlimited`. A number without a unit is per second. */
export function parseRate(text: string): number | 'unlimited' {
  const compact = text.trim().toLowerCase().replaceAll(' ', '')
  if (compact === 'unlimited') return 'unlimited'
  const match = rateText.exec(compact)
  const perSecond = match ? perSecondOf(Number(match[1]), match[2] ?? 's') : 0
  if (perSecond > 0 && Number.isFinite(perSecond)) return perSecond
  throw new Failure('input.invalid', `"${text}" is not a rate; write it like 2/s, 30/m, 100/h or unlimited`, {
    value: text,
  })
}

function perSecondOf(amount: number, unit: string): number {
  if (unit.startsWith('s')) return amount
  return (amount * 1_000) / msOfUnit[unit[0] as Unit]
}

/** Formats a rate. `parseRate` parses the text to the same rate. */
export function formatRate(rate: number | 'unlimited'): string {
  if (rate === 'unlimited' || rate >= 1) return rate === 'unlimited' ? rate : `${rate}/s`
  const perMinute = Math.round(rate * 60)
  return perSecondOf(perMinute, 'm') === rate ? `${perMinute}/m` : `${rate}/s`
}

const bytesOfUnit = { '': 1, k: 1e3, m: 1e6, g: 1e9, t: 1e12 } as const
const sizeText = /^(\d+(?:\.\d+)?)([kmgt]?)b?$/

/** The size in whole bytes. Units are powers of a thousand. */
export function parseBytes(text: string): number {
  const match = sizeText.exec(text.trim().toLowerCase().replaceAll(' ', ''))
  if (match) return Math.round(Number(match[1]) * bytesOfUnit[match[2] as keyof typeof bytesOfUnit])
  throw new Failure('input.invalid', `"${text}" is not a size; write it like 500MB, 2GB or 1000000`, {
    value: text,
  })
}

/** Formats a size for people, with about three digits. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  const amount = bytes / 1e3 ** step
  return `${step === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${units[step]}`
}

/** A count with its noun, like `1 page` and `2 pages`. */
export const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** The time until `at` in whole seconds, like `2m`. */
export const formatWait = (at: number, now: number): string =>
  formatDuration(Math.ceil((at - now) / 1_000) * 1_000)
