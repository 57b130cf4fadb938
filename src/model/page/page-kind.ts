// The kind of a page. It decides how the main content is found and which scrapers may parse the page.

const pageKinds = ['article', 'product', 'recipe', 'listing', 'documentation', 'discussion', 'other'] as const
export type PageKind = (typeof pageKinds)[number]

export interface PageKindVerdict {
  kind: PageKind
  /** Whether the page declares its kind, or its shape leaves no doubt. A scraper may refuse a page only if this is true. */
  sure: boolean
  /** The evidence as text: `JSON-LD says NewsArticle`. */
  why: string
}
