// The normalizers handed to scrapers: text as people write it → values as records hold them. Null for what can't be read.
import type { NormalizedLocation } from '../model/target-schemas.ts'

/** What the page says that settles the reading of a value. */
export interface ReadingHints {
  /** A language tag: decides "1.299", "03/04/2024" and whose words for months are tried first. */
  language?: string | null
  /** The page's address: its country decides what "$" is. */
  url?: string
  /** When the page was fetched, in ms: what "yesterday" counts from. */
  now?: number
  /** The date lies in the past: "28 December", read in January, is of last year. */
  past?: boolean
  /** Written for programs: the dot is the decimal point. */
  machine?: boolean
  /** ISO 4217: what the page's prices are in. */
  currency?: string | null
}

export interface Normalizers {
  /** One line of text, markup and entities undone; null when nothing is left. */
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
  /** `USD 90000-120000 per year`, as far as it says so; of text (which stays when it has no number), or of a `MonetaryAmount`. */
  salaryRange(value: unknown): string | null
}
