// The kind of a page: decides about its main content and which scrapers may parse it.

const pageKinds = ['article', 'product', 'recipe', 'listing', 'documentation', 'discussion', 'other'] as const
export type PageKind = (typeof pageKinds)[number]

export interface PageKindVerdict {
  kind: PageKind
  /** Whether the page declares it or its shape leaves no doubt. Do not refuse a page unless this is true. */
  sure: boolean
  /** The evidence, for people: `JSON-LD says NewsArticle`. */
  why: string
}
