// Queries for records: words, and fields with values.

export const comparisons = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'contains', 'exists'] as const
export type Comparison = (typeof comparisons)[number]

export interface FieldFilter {
  /** A field of the record, or a path like `offer.price`. */
  field: string
  is: Comparison
  /** For `exists`: whether the field must exist. */
  value: string | number | boolean
}

export interface RecordQuery {
  workspace: string
  /** Words that all must occur; `"a phrase"` and `begin*` as usual. Without it, filters alone. */
  text?: string
  filters?: FieldFilter[]
  jobId?: string
  /** Of the page, as in politeness: `URL.host`. */
  host?: string
  /** `id@version`, or only the id. */
  scraper?: string
  limit: number
  /** `seq` of the last one of the page before; newest first. */
  before?: number
}
