// Request schemas of searches. Unknown keys are refused.
import * as z from 'zod'
import { optionsV1, optionsV2 } from '../schemas.ts'

const searchSources = ['web', 'news', 'images'] as const
export type SearchSource = (typeof searchSources)[number]
export const isSearchSource = (name: string): name is SearchSource =>
  (searchSources as readonly string[]).includes(name)

const category = z.enum(['github', 'research', 'pdf', 'developer'])
const named = <Name extends z.ZodEnum | z.ZodString>(name: Name) =>
  z.union([name, z.looseObject({ type: name }).transform(({ type }) => type as z.output<Name>)])
const domains = z
  .array(
    z
      .string()
      .trim()
      .toLowerCase()
      .regex(/^[^\s/:@?#]+$/, 'a host name like "example.com"'),
  )
  .max(50)

const search = {
  query: z.string().trim().min(1).max(1_000),
  limit: z.int().min(1).max(100).default(5),
  tbs: z.string().max(200).optional(),
  location: z.string().max(200).optional(),
  country: z.string().max(100).optional(),
  timeout: z.int().min(1_000).max(300_000).default(60_000),
  ignoreInvalidURLs: z.boolean().default(false),
  integration: z.string().max(200).nullish(),
  origin: z.string().max(200).optional(),
}

export const searchBodies = {
  1: z.strictObject({
    ...search,
    lang: z.string().max(20).optional(),
    filter: z.string().max(200).optional(),
    scrapeOptions: z.strictObject(optionsV1).optional(),
  }),
  2: z.strictObject({
    ...search,
    // Clients also name sources that only Firecrawl has. These are ignored with a warning.
    sources: z
      .array(named(z.string().max(50)))
      .max(10)
      .refine(names => names.some(isSearchSource), `name at least one of ${searchSources.join(', ')}`)
      .default(['web']),
    categories: z.array(named(category)).max(4).default([]),
    includeDomains: domains.default([]),
    excludeDomains: domains.default([]),
    highlights: z.boolean().optional(),
    enterprise: z.array(z.string()).max(10).optional(),
    threatProtection: z.unknown().optional(),
    domainTools: z.boolean().optional(),
    toolDetail: z.string().max(20).optional(),
    scrapeOptions: z.strictObject(optionsV2).optional(),
  }),
} as const

export type SearchV1 = z.output<(typeof searchBodies)[1]>
export type SearchV2 = z.output<(typeof searchBodies)[2]>
export type SearchCategory = z.output<typeof category>
