// Removes noise before a comparison: parts of a text or record that change without a real change.
import type { IgnoreRules, Noise } from '../../model/monitor.ts'
import type { Json, RecordData } from '../../model/record.ts'

const months = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec'
const month = `(?:${months})[a-z]{0,6}\\.?`

/** Times of day, dates in the usual notations, and phrases such as "5 minutes ago". */
const times = [
  /\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?/g,
  /\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b/g,
  new RegExp(`\\b\\d{1,2}\\.? ${month},? \\d{4}\\b`, 'gi'),
  new RegExp(`\\b${month} \\d{1,2}(?:st|nd|rd|th)?,? \\d{4}\\b`, 'gi'),
  // The lookbehind excludes the port of an IP address.
  /(?<!\.)\b\d{1,2}:\d\d(?::\d\d)?(?!\d)(?: ?[ap]\.?m\.?\b)?/gi,
  /\b(?:\d{1,4}|an?|few) (?:second|minute|hour|day|week|month|year)s? ago\b/gi,
  /\bjust now\b|\byesterday\b|\btoday\b/gi,
]

const advertises = /\b(?:advertisement|advert|sponsored|promoted|anzeige|werbung|publicité|publicidad)\b/i

const byText: Record<Exclude<Noise, 'order' | 'ads'>, (text: string) => string> = {
  timestamps: text => times.reduce((rest, pattern) => rest.replace(pattern, ''), text),
  numbers: text => text.replace(/\d+(?:[.,]\d+)*/g, '#'),
  case: text => text.toLowerCase(),
  whitespace: text =>
    text
      .replace(/[^\S\n]+/g, ' ')
      .replace(/^ | $/gm, '')
      .replace(/\n{2,}/g, '\n')
      .trim(),
}

export function quietText(text: string, { noise, lines }: IgnoreRules): string {
  const words = lines.map(line => line.toLowerCase())
  const isLeft = (line: string) =>
    !(noise.includes('ads') && advertises.test(line)) &&
    !words.some(word => line.toLowerCase().includes(word))
  const kept = text.split('\n').filter(isLeft).join('\n')
  // Remove white space last, because the other removals leave some.
  const quiet = (['timestamps', 'numbers', 'case', 'whitespace'] as const)
    .filter(one => noise.includes(one))
    .reduce((rest, one) => byText[one](rest), kept)
  return noise.includes('order') ? quiet.split('\n').sort().join('\n') : quiet
}

/** The fields of a default record that readers see. */
const readersFields = ['title', 'description', 'markdown']
const isPageRecord = (data: RecordData): boolean =>
  'markdown' in data && 'final_url' in data && 'headings' in data

/** The fields to compare. For documents such as PDFs and feeds, the text replaces the fields that readers see. */
function fieldsOf(data: RecordData): RecordData {
  if (!isPageRecord(data)) return data
  const seen = Object.fromEntries(readersFields.map(name => [name, data[name] ?? null]))
  return data.markdown === null ? { ...seen, text: data.text ?? null } : seen
}

/** The fields of a record that are compared, with noise removed. */
export function quietRecord(data: RecordData, rules: IgnoreRules): RecordData {
  const left = Object.entries(fieldsOf(data)).filter(
    ([name]) => name !== 'fetched_at' && !rules.fields.includes(name),
  )
  return Object.fromEntries(left.map(([name, value]) => [name, quietValue(value, rules)]))
}

function quietValue(value: Json, rules: IgnoreRules): Json {
  if (typeof value === 'string') return quietText(value, rules)
  if (typeof value === 'number' && rules.noise.includes('numbers')) return '#'
  if (Array.isArray(value)) {
    const quiet = value.map(entry => quietValue(entry, rules))
    return rules.noise.includes('order') ? quiet.sort(byJson) : quiet
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, quietValue(inner, rules)]))
}

const byJson = (one: Json, other: Json): number => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)
