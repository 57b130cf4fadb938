// Normalizers for scrapers: convert text to values. Null if that fails.
import type { NormalizedLocation } from '../model/target-schemas.ts'

/** Facts about the page that disambiguate a value. */
export interface ReadingHints {
  /** A language tag: decides about "1.299", "03/04/2024" and month names. */
  language?: string | null
  /** The page's URL: its country decides about "$". */
  url?: string
  /** Time of the fetch, in ms: the reference of "yesterday". */
  now?: number
  /** The date is in the past: "28 December", read in January, is last year. */
  past?: boolean
  /** Written for programs: the dot is the decimal point. */
  machine?: boolean
  /** ISO 4217: the currency of the page's prices. */
  currency?: string | null
}

export interface Normalizers {
  /** One line of text without markup and entities; null if empty. */
  text(value: unknown): string | null
  number(value: unknown): number | null
  integer(value: unknown): number | null
  money(value: unknown, hints?: ReadingHints): { amount: number; currency: string | null } | null
  /** ISO 8601. */
  date(value: unknown, hints?: ReadingHints): string | null
  url(value: unknown, baseUrl?: string): string | null
  email(value: unknown): string | null
  phone(value: unknown): string | null
  /** Of text, or of a place as structured data has it. */
  location(value: unknown): NormalizedLocation | null
  /** `51-200`, `10001+` or a number alone; of text, or of a `QuantitativeValue`. */
  employeeRange(value: unknown): string | null
  /** `USD 90000-120000 per year`, as far as stated; from text, or from a `MonetaryAmount`. */
  salaryRange(value: unknown): string | null
}
