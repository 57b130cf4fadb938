// What passes to and from the thread that reads PDFs.

export interface PdfJob {
  bytes: Uint8Array
  maxPages: number
  maxCharacters: number
}

export interface PdfContent {
  pageCount: number
  /** The text of each page, as far as they were read. */
  pages: string[]
  /** As the file says it: Title, Author, CreationDate, … */
  info: Record<string, string>
  links: string[]
}

/** A file that can't be read has a reason in place of a content. */
export type PdfAnswer = { content: PdfContent } | { why: string }
