// Checks a model's answer against the fields and the page. Values that are not on the page are refused.

import { cleanText } from '../../lib/text/clean-text.ts'
import type { Coerce, CoerceContext } from '../../model/extraction-rules.ts'
import { isObject } from '../../model/json.ts'
import type { Json, RecordData } from '../../model/record.ts'
import type { CompiledField } from '../rules/compiled-rules.ts'
import type { PageExcerpt } from './page-excerpt.ts'

/** `absent`: the model says that the page does not contain the field. `why`: the reason why the value was refused. */
export type Checked = { value: Json } | { absent: true } | { why: string }

export interface Evidence {
  page: PageExcerpt
  coerce: Coerce
  context: CoerceContext
}

type Answer = { [field: string]: Json }

/** The parsed answer. Null if it does not have the requested shape; extra keys are not allowed either. */
export function parseAnswer(content: string, fields: CompiledField[]): Answer | null {
  try {
    const answer = JSON.parse(content) as Json
    return isShaped(answer, fields) ? answer : null
  } catch {
    return null
  }
}

function isShaped(answer: Json, fields: CompiledField[]): answer is Answer {
  if (!isObject(answer)) return false
  if (Object.keys(answer).some(key => !fields.some(field => field.name === key))) return false
  return fields.every(field => fits(answer[field.name] ?? null, field))
}

function fits(value: Json, field: CompiledField): boolean {
  if (field.many) return value === null || (Array.isArray(value) && value.every(one => fitsOne(one, field)))
  return value === null || fitsOne(value, field)
}

const fitsOne = (value: Json, { fields }: CompiledField): boolean =>
  fields ? isShaped(value, fields) : typeof value === 'string'

export function checkField(field: CompiledField, answered: Json, evidence: Evidence): Checked {
  if (answered === null || answered === '') return { absent: true }
  if (!field.many) return checkOne(field, answered, evidence)
  const checked = (answered as Json[]).map(one => checkOne(field, one, evidence))
  const values = checked.flatMap(one => ('value' in one ? [one.value] : []))
  if (values.length > 0) return { value: values }
  return checked.find(one => 'why' in one) ?? { absent: true }
}

const checkOne = (field: CompiledField, answered: Json, evidence: Evidence): Checked =>
  field.fields
    ? checkNested(field.fields, answered as Answer, evidence)
    : checkText(field, answered as string, evidence)

/** Checks an object. Its values that are not on the page become null. If a required value is missing, the whole object
 *  is refused. */
function checkNested(fields: CompiledField[], answered: Answer, evidence: Evidence): Checked {
  const data: RecordData = {}
  let whys = ''
  for (const field of fields) {
    const checked = checkField(field, answered[field.name] ?? null, evidence)
    data[field.name] = 'value' in checked ? checked.value : null
    if ('why' in checked) whys ||= `${field.name}: ${checked.why}`
    if (field.required && !('value' in checked)) return { why: whys || `${field.name} is missing` }
  }
  if (Object.values(data).some(value => value !== null)) return { value: data }
  return whys ? { why: whys } : { absent: true }
}

function checkText(field: CompiledField, answered: string, { page, coerce, context }: Evidence): Checked {
  const isThere =
    field.as === 'url' ? hasAddress(page, answered, context.baseUrl) : occurs(page.text, answered)
  if (!isThere) return { why: `the model answered ${quoted(answered)}, which is not on the page` }
  const value = coerce(answered, field.as, context)
  if (value !== null && value !== '') return { value }
  return { why: `the model answered ${quoted(answered)}, which cannot be read as ${field.as}` }
}

function hasAddress({ links, text }: PageExcerpt, answered: string, baseUrl: string): boolean {
  const href = URL.parse(answered.trim(), baseUrl)?.href
  return href !== undefined && (links.some(({ url }) => url === href) || occurs(text, answered))
}

/** Whether the text contains the words as whole words: the 5 in "15 left" does not count. */
function occurs(text: string, wanted: string): boolean {
  const hay = plain(text)
  const needle = plain(wanted)
  if (needle === '') return false
  for (let at = hay.indexOf(needle); at !== -1; at = hay.indexOf(needle, at + 1))
    if (!isCut(hay, at) && !isCut(hay, at + needle.length)) return true
  return false
}

const plain = (text: string): string => cleanText(text.normalize('NFKC'))

/** Whether a word or number continues across this position. */
const isCut = (text: string, at: number): boolean =>
  /[\p{L}\p{N}]{2}/u.test(text.slice(Math.max(0, at - 1), at + 1)) ||
  /\d[.,]\d/.test(text.slice(Math.max(0, at - 2), at + 2))

const quoted = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
