// Personal data in records: masked or left out, wherever in the record it stands.
import type { Json, RecordData } from '../model/record.ts'
import { emailKind, maskNumber, type PiiKind, personalNames, piiKinds } from './pii-patterns.ts'

export type PiiMode = 'keep' | 'mask' | 'drop'

/** Stands where something was left out of a longer text. */
const removed = '[removed]'
/** Records are made by us or checked; nothing that deep is one. */
const maxDepth = 200

const webAddress = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"'`]{1,4000}/gi

/**
 * E-mail addresses, phone numbers, payment cards, IBANs, social security numbers of the US and IP addresses. Names of people are
 * not among them: no pattern tells them from other words. In web addresses only e-mail addresses are looked for, and never in
 * their host: numbers there are ids, and an address that was changed leads nowhere. With `drop`, a value that was nothing
 * else becomes null. What is handed in stays as it is; doing it twice changes nothing more.
 */
export function applyPii(data: RecordData, mode: PiiMode): RecordData {
  return mode === 'keep' ? data : (withoutPii(data, '', mode, 0) as RecordData)
}

function withoutPii(value: Json, name: string, mode: 'mask' | 'drop', depth: number): Json {
  if (typeof value === 'string') return cleanedText(value, name, mode)
  if (typeof value === 'number') return cleanedNumber(value, name, mode)
  if (typeof value !== 'object' || value === null) return value
  if (depth === maxDepth) return null
  if (Array.isArray(value)) return value.map(item => withoutPii(item, name, mode, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withoutPii(inner, key, mode, depth + 1)]),
  )
}

/** A number is personal only when its name says so. */
function cleanedNumber(value: number, name: string, mode: 'mask' | 'drop'): Json {
  if (Math.abs(value) < 1e5 || !personalNames.test(name)) return value
  return mode === 'drop' ? null : maskNumber(String(value))
}

function cleanedText(text: string, name: string, mode: 'mask' | 'drop'): Json {
  const cleaned = inText(text, mode)
  if (isNamedNumber(cleaned, name)) return mode === 'drop' ? null : maskNumber(cleaned)
  return cleaned === removed ? null : cleaned
}

/** Under a name that says it, few digits will do: `phone: 555-0100`. */
const isNamedNumber = (text: string, name: string): boolean =>
  text.length < 60 && /(?:\d\D*){5}/.test(text) && personalNames.test(name) && !/@|:\/\//.test(text)

function inText(text: string, mode: 'mask' | 'drop'): string {
  if (!text.includes('://')) return replaced(text, piiKinds, mode)
  let result = ''
  let from = 0
  for (const found of text.matchAll(webAddress)) {
    result += replaced(text.slice(from, found.index), piiKinds, mode) + inAddress(found[0], mode)
    from = found.index + found[0].length
  }
  return result + replaced(text.slice(from), piiKinds, mode)
}

function inAddress(url: string, mode: 'mask' | 'drop'): string {
  const hostStart = url.indexOf('://') + 3
  const hostLength = url.slice(hostStart).search(/[/?#]/)
  if (hostLength < 0) return url
  const pathStart = hostStart + hostLength
  return url.slice(0, pathStart) + replaced(url.slice(pathStart), [emailKind], mode)
}

function replaced(text: string, kinds: readonly PiiKind[], mode: 'mask' | 'drop'): string {
  return kinds.reduce((left, kind) => (kind.hint.test(left) ? replacedKind(left, kind, mode) : left), text)
}

function replacedKind(text: string, kind: PiiKind, mode: 'mask' | 'drop'): string {
  return text.replace(kind.pattern, match => {
    const length = kind.lengthOf(match)
    if (length === 0) return match
    return (mode === 'drop' ? removed : kind.mask(match.slice(0, length))) + match.slice(length)
  })
}
