// Normalizers for scrapers: convert text to values. They return null if that fails.
import type { NormalizedLocation } from '../model/target-schemas.ts'

/** Facts about the page that make a value unambiguous. */
export interface ReadingHints {
  /** A language tag. It decides how to read "1.299", "03/04/2024" and month names. */
  language?: string | null
  /** The page's URL. Its country decides which currency "$" is. */
  url?: string
  /** Time of the fetch, epoch ms. It is the reference for "yesterday". */
  now?: number
  /** Whether the date must be in the past. If so, "28 December" on a page that was fetched in January means last
   *  year. */
  past?: boolean
  /** Whether the value was written for programs. If so, a dot is the decimal point. */
  machine?: boolean
  /** ISO 4217 code of the currency of the page's prices. */
  currency?: string | null
}

export interface Normalizers {
  /** One line of text without markup and entities; null if empty. */
  text(value: unknown): string | null
  number(value: unknown): number | null
  integer(value: unknown): number | null
  money(value: unknown, hints?: ReadingHints): { amount: number; currency: string | null } | null
  /** An ISO 8601 date. */
  date(value: unknown, hints?: ReadingHints): string | null
  url(value: unknown, baseUrl?: string): string | null
  email(value: unknown): string | null
  phone(value: unknown): string | null
  /** A location from text, or from a place in structured data. */
  location(value: unknown): NormalizedLocation | null
  /** `51-200`, `10001+` or a single number, from text or from a `QuantitativeValue`. */
  employeeRange(value: unknown): string | null
  /** For example `USD 90000-120000 per year`, without the parts that the value does not state. The value is
   *  text or a `MonetaryAmount`. */
  salaryRange(value: unknown): string | null
}
