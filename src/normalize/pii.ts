// Personal data in records: masked or left out, wherever in the record it stands.
import type { PiiMode } from '../model/personal-data.ts'
import type { Json, RecordData } from '../model/record.ts'
import { emailKind, maskNumber, type PiiKind, personalNames, piiKinds } from './pii-patterns.ts'

/** What was masked or left out of one field of a record. */
export interface PiiFinding {
  /** Its path, without the positions in lists: `offers.email`. */
  field: string
  kind: PiiKind['name']
  count: number
}

/** The mode, and what was found so far under it. */
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

/** Findings are for people; a record with more fields of personal data is described by the first ones. */
const mostFindings = 50

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
export const applyPii = (data: RecordData, mode: PiiMode): RecordData => withoutPii(data, mode).data

/** The same, with what was masked or left out. */
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

/** A list in a list makes the path longer by an empty name, so that the depth is bounded there too. */
const cleanedList = (list: Json[], path: readonly string[], cleaning: Cleaning): Json[] =>
  list.map(item => cleanedValue(item, Array.isArray(item) ? [...path, ''] : path, cleaning))

const nameIn = (path: readonly string[]): string => path.findLast(name => name !== '') ?? ''
const fieldIn = (path: readonly string[]): string => path.filter(name => name !== '').join('.')

/** A number is personal only when its name says so. */
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

/** Under a name that says it, few digits will do: `phone: 555-0100`. */
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
