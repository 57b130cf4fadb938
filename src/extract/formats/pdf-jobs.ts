// Messages to and from the PDF thread.
import type { FailureJson } from '../../model/failures.ts'

export interface PdfJob {
  bytes: Uint8Array
  maxPages: number
  maxCharacters: number
}

export interface PdfContent {
  pageCount: number
  /** The text of each page of the PDF. */
  pages: string[]
  markdown: string
  headings: PdfHeading[]
  form: PdfField[]
  /** Entries of the document information dictionary, such as Title, Author and CreationDate. */
  info: Record<string, string>
  links: string[]
}

/** A run of text in one font. Sizes and positions are in points; y grows upwards. */
export interface PdfItem {
  text: string
  x: number
  y: number
  width: number
  size: number
}

export interface PdfLine {
  text: string
  x: number
  /** Position of the right edge. */
  end: number
  /** Position of the baseline. */
  y: number
  size: number
}

export interface PdfHeading {
  level: number
  text: string
}

export interface PdfField {
  name: string
  /** The label for readers, or the field name if there is no label. */
  label: string
  /** For checkboxes true or false. Null for passwords and for fields without a value. */
  value: string | boolean | string[] | null
}

/** `why` is the reason why this file cannot be read. `failure` means that the thread cannot read any file, for example
 *  because the PDF parser is missing. */
export type PdfAnswer = { content: PdfContent } | { why: string } | { failure: FailureJson }
