// Masks or removes personal data anywhere in a record.
import type { PiiMode } from '../model/personal-data.ts'
import type { Json, RecordData } from '../model/record.ts'
import { emailKind, maskNumber, type PiiKind, personalNames, piiKinds } from './pii-patterns.ts'

/** What was masked or removed in one field. */
export interface PiiFinding {
  /** Path of the field without positions in lists, such as `offers.email`. */
  field: string
  kind: PiiKind['name']
  count: number
}

/** State of one removal of personal data: its mode, and its findings so far. */
class Cleaning {
  readonly mode: 'mask' | 'drop'
  readonly found = new Map<string, PiiFinding>()

  constructor(mode: 'mask' | 'drop') {
    this.mode = mode
  }

  note(field: string, kind: PiiKind['name']): void {
    const key = `${kind} ${field}`
    const known = this.found.get(key)
    if (known) known.count += 1
    else if (this.found.size < mostFindings) this.found.set(key, { field, kind, count: 1 })
  }
}

/** Maximum number of findings that are reported per record. People read them, so the first ones are enough. */
const mostFindings = 50

/** Replaces removed parts of a longer text. */
const removed = '[removed]'
/** Objects and lists at this depth become null. No valid record is nested so deeply. */
const maxDepth = 200

const webAddress = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"'`]{1,4000}/gi

/** Finds e-mail addresses, phone numbers, payment cards, IBANs, US social security numbers and IP addresses. Names of
 *  people are not found, because no pattern recognizes them. In URLs, only e-mail addresses after the host are masked.
 *  Numbers in URLs are usually ids, and a changed URL would not work. With `drop`, a value that contains only personal
 *  data becomes null. The input is not changed. Idempotent. */
export const applyPii = (data: RecordData, mode: PiiMode): RecordData => withoutPii(data, mode).data

/** Same as `applyPii`, but also returns the findings. */
export function withoutPii(data: RecordData, mode: PiiMode): { data: RecordData; found: PiiFinding[] } {
  if (mode === 'keep') return { data, found: [] }
  const cleaning = new Cleaning(mode)
  const cleaned = cleanedValue(data, [], cleaning) as RecordData
  return { data: cleaned, found: [...cleaning.found.values()] }
}

function cleanedValue(value: Json, path: readonly string[], cleaning: Cleaning): Json {
  if (typeof value === 'string') return cleanedText(value, path, cleaning)
  if (typeof value === 'number') return cleanedNumber(value, path, cleaning)
  if (typeof value !== 'object' || value === null) return value
  if (path.length === maxDepth) return null
  if (Array.isArray(value)) return cleanedList(value, path, cleaning)
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, cleanedValue(inner, [...path, key], cleaning)]),
  )
}

/** A nested list adds an empty name to the path, because `maxDepth` limits the length of the path. */
const cleanedList = (list: Json[], path: readonly string[], cleaning: Cleaning): Json[] =>
  list.map(item => cleanedValue(item, Array.isArray(item) ? [...path, ''] : path, cleaning))

const nameIn = (path: readonly string[]): string => path.findLast(name => name !== '') ?? ''
const fieldIn = (path: readonly string[]): string => path.filter(name => name !== '').join('.')

/** A number is personal only if the name of its field says so. */
function cleanedNumber(value: number, path: readonly string[], cleaning: Cleaning): Json {
  if (Math.abs(value) < 1e5 || !personalNames.test(nameIn(path))) return value
  cleaning.note(fieldIn(path), 'number')
  return cleaning.mode === 'drop' ? null : maskNumber(String(value))
}

function cleanedText(text: string, path: readonly string[], cleaning: Cleaning): Json {
  const field = fieldIn(path)
  const note = (kind: PiiKind['name']) => cleaning.note(field, kind)
  const cleaned = inText(text, cleaning.mode, note)
  if (isNamedNumber(cleaned, nameIn(path))) {
    note('number')
    return cleaning.mode === 'drop' ? null : maskNumber(cleaned)
  }
  return cleaned === removed ? null : cleaned
}

type Note = (kind: PiiKind['name']) => void

/** In a field with a name such as `phone`, five digits are enough: `phone: 555-0100`. */
const isNamedNumber = (text: string, name: string): boolean =>
  text.length < 60 && /(?:\d\D*){5}/.test(text) && personalNames.test(name) && !/@|:\/\//.test(text)

function inText(text: string, mode: 'mask' | 'drop', note: Note): string {
  if (!text.includes('://')) return replaced(text, piiKinds, mode, note)
  let result = ''
  let from = 0
  for (const found of text.matchAll(webAddress)) {
    result += replaced(text.slice(from, found.index), piiKinds, mode, note) + inAddress(found[0], mode, note)
    from = found.index + found[0].length
  }
  return result + replaced(text.slice(from), piiKinds, mode, note)
}

function inAddress(url: string, mode: 'mask' | 'drop', note: Note): string {
  const hostStart = url.indexOf('://') + 3
  const hostLength = url.slice(hostStart).search(/[/?#]/)
  if (hostLength < 0) return url
  const pathStart = hostStart + hostLength
  return url.slice(0, pathStart) + replaced(url.slice(pathStart), [emailKind], mode, note)
}

function replaced(text: string, kinds: readonly PiiKind[], mode: 'mask' | 'drop', note: Note): string {
  return kinds.reduce(
    (left, kind) => (kind.hint.test(left) ? replacedKind(left, kind, mode, note) : left),
    text,
  )
}

function replacedKind(text: string, kind: PiiKind, mode: 'mask' | 'drop', note: Note): string {
  return text.replace(kind.pattern, match => {
    const length = kind.lengthOf(match)
    if (length === 0) return match
    note(kind.name)
    return (mode === 'drop' ? removed : kind.mask(match.slice(0, length))) + match.slice(length)
  })
}
