// How an export arranges records: the place of the input row, and the columns of a table.
import * as z from 'zod'

/** Columns about the page of a record, as `_page_NAME`. */
export const pageColumns = [
  'url',
  'status',
  'fetched_at',
  'final_url',
  'task_id',
  'scraper',
  'item_id',
  'way',
  'why',
  'artifacts',
  'warnings',
] as const
export type PageColumn = (typeof pageColumns)[number]

const usualPageColumns: PageColumn[] = ['url', 'status', 'fetched_at']

/** How an export shows the input row. `nested`: as the object `_input`. `flat`: its columns are next to the fields. */
export const inputForms = ['nested', 'flat', 'none'] as const

/** Part of `results` of a job. An export on demand can override it. */
export const tableShape = z.strictObject({
  input: z.enum(inputForms).default('nested'),
  /** A list field by its dotted path: tables get a row for each element. */
  explode: z.string().min(1).max(1_000).optional(),
  pageColumns: z.array(z.enum(pageColumns)).max(pageColumns.length).default(usualPageColumns),
})
export type TableShape = z.output<typeof tableShape>

/** The options of a job with their defaults. Old jobs have none of these options. */
export const tableShapeOf = (results: Partial<TableShape> | undefined): TableShape => ({
  input: results?.input ?? 'nested',
  pageColumns: results?.pageColumns ?? usualPageColumns,
  ...(results?.explode !== undefined && { explode: results.explode }),
})
