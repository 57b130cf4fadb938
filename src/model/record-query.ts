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
  /** Words that must all occur. `"a phrase"` and the prefix form `begin*` are allowed. Unset: only the filters apply. */
  text?: string
  filters?: FieldFilter[]
  jobId?: string
  /** The host of the record's page: `URL.host`. */
  host?: string
  /** The extractor of the record: `id@version`, or only the id. */
  scraper?: string
  limit: number
  /** The last `seq` of the previous page of results. Results are ordered newest first. */
  before?: number
}
