// Messages to and from the PDF thread.
import type { FailureJson } from '../../model/failures.ts'

export interface PdfJob {
  bytes: Uint8Array
  maxPages: number
  maxCharacters: number
}

export interface PdfContent {
  pageCount: number
  /** The text of each page. */
  pages: string[]
  markdown: string
  headings: PdfHeading[]
  form: PdfField[]
  /** The entries of the document information dictionary: Title, Author, CreationDate, … */
  info: Record<string, string>
  links: string[]
}

/** A run of text with one font. Sizes and places are in points, y grows upwards. */
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
  /** The right edge. */
  end: number
  /** The baseline. */
  y: number
  size: number
}

export interface PdfHeading {
  level: number
  text: string
}

export interface PdfField {
  name: string
  /** The label for readers, or the name. */
  label: string
  /** Checkboxes are true or false. Fields without a value and passwords are null. */
  value: string | boolean | string[] | null
}

/** An unreadable file has a reason instead of content. The failure is for a thread that can read no file. */
export type PdfAnswer = { content: PdfContent } | { why: string } | { failure: FailureJson }
