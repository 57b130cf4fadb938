// Request and response schemas of the search API.
import * as z from 'zod'
import { comparisons } from '../record-query.ts'
import { pageQuery } from './pages.ts'

const words = z
  .string()
  .max(1_000)
  .refine(text => /[\p{L}\p{N}]/u.test(text), 'needs at least one word')
  .optional()
  .describe(
    'Words that must all occur. `"a phrase"` finds a phrase, and `begin*` finds words with this prefix.',
  )

const narrowing = {
  jobId: z.string().max(128).optional(),
  host: z.string().max(300).optional().describe('Host of the page, like `example.com`.'),
  scraper: z.string().max(200).optional().describe('`id` or `id@version`.'),
}

const filter = z.strictObject({
  field: z.string().min(1).max(300).describe('A field of the record, or a path like `offer.price`.'),
  is: z.enum(comparisons).default('eq'),
  value: z.union([z.string().max(1_000), z.number(), z.boolean()]),
})

export const searchBody = z
  .strictObject({
    text: words,
    filters: z.array(filter).max(20).default([]),
    ...narrowing,
    limit: z.int().min(1).max(1_000).default(100),
    cursor: pageQuery.cursor,
  })
  .meta({
    examples: [{ text: 'desk lamp', filters: [{ field: 'price', is: 'lt', value: 50 }], limit: 10 }],
  })

export const searchQuery = z.strictObject({
  q: words,
  filter: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe(
      '`price<50`, `title~lamp`, `stock!=0`, `sku` (exists), `!sku` (does not exist); if repeated, all must match.',
    ),
  ...narrowing,
  ...pageQuery,
})

export const foundRecords = z.object({
  records: z.array(
    z.object({
      jobId: z.string(),
      itemId: z.string(),
      taskId: z.string(),
      url: z.string(),
      finalUrl: z.string(),
      httpStatus: z.int(),
      fetchedAt: z.string(),
      scraper: z.string(),
      data: z.record(z.string(), z.unknown()),
    }),
  ),
  nextCursor: z.string().nullable(),
})

/** The criteria of a search, without page size and cursor. */
export type SearchQuery = Omit<z.input<typeof searchBody>, 'limit' | 'cursor'>
export type FoundPage = z.infer<typeof foundRecords>
export type FoundRecord = FoundPage['records'][number]
