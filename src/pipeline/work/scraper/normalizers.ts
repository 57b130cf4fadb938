// The normalizers that scrapers get: they take any value and return a normalized value or null.
import type { Json } from '../../../model/record.ts'
import {
  locationFrom,
  normalizeUrl,
  parseDate,
  parseEmail,
  parseEmployeeRange,
  parseInteger,
  parseMoney,
  parseNumber,
  parsePhone,
  parseSalaryRange,
  regionOfUrl,
  stripHtml,
} from '../../../normalize/index.ts'
import type { Normalizers, ReadingHints } from '../../../scraper/normalizers.ts'

/** Longer text cannot be a number, date, place or price, so it is not parsed. */
const maxScalarLength = 1_000

export const normalizers: Normalizers = {
  text: value => cleaned(value) || null,
  number: value => (typeof value === 'number' ? finite(value) : scalar(value, parseNumber)),
  integer: value => scalar(value, parseInteger),
  money: (value, hints = {}) => scalar(value, text => parseMoney(text, withRegion(hints))),
  date: (value, hints = {}) => scalar(value, text => parseDate(text, withRegion(hints))),
  url: (value, baseUrl = '') => scalar(value, text => normalizeUrl(text, baseUrl, { forceHttps: true })),
  email: value => scalar(value, parseEmail),
  phone: value => scalar(value, text => parsePhone(text)),
  location: value => locationFrom(value as Json | undefined),
  employeeRange: value => parseEmployeeRange(value as Json | undefined),
  salaryRange: value => parseSalaryRange(value as Json | undefined),
}

const withRegion = ({ url, ...hints }: ReadingHints) => ({ ...hints, region: url ? regionOfUrl(url) : null })

function scalar<Value>(value: unknown, read: (text: string) => Value | null): Value | null {
  const text = cleaned(value)
  return text === '' || text.length > maxScalarLength ? null : read(text)
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null)

function cleaned(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'string' ? stripHtml(value) : ''
}
