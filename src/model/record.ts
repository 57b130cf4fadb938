// A record: data extracted from a page, with the source of each field.
import type { PageWarning } from './page/page-warning.ts'
import type { Settled, TaskWay } from './policy/way.ts'

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

export type RecordData = { [field: string]: Json }

/** The source of a field, or why it is null. */
export interface FieldSource {
  from:
    | 'css'
    | 'xpath'
    | 'jsonld'
    | 'microdata'
    | 'rdfa'
    | 'meta'
    | 'regex'
    | 'default'
    | 'none'
    | 'page'
    | 'scraper'
    | 'llm'
  /** The selector, path or name that matched. */
  by?: string
  /** Set if the value is null: what was not found, or could not be converted. */
  why?: string
  /** Why the value violated the schema. Such a value is left out. */
  wrong?: string
}
export type Provenance = Record<string, FieldSource>

/** The output of extraction: fields and their sources. */
export interface Extracted {
  data: RecordData
  provenance: Provenance
  /** Warnings about the record; absent if there are none. */
  warnings?: PageWarning[]
}

/** A record to store: fields as JSON text, so that it is serialized once. */
export interface NewRecord {
  /** Position among the records of its task, from 0. */
  index: number
  data: string
  provenance: string | null
  finalUrl: string
  status: number
  fetchedAt: number
  /** The extractor of the record, as `id@version`. */
  scraper: string
  /** A `PageWay` as JSON; null for an HTTP page of a job without a browser, if the record has no warnings. */
  way: string | null
}

export interface StoredRecord extends NewRecord {
  /** Position in commit order, over all jobs. Paging and exports use it as their cursor. */
  seq: number
  jobId: string
  n: number
  url: string
  itemId: string | null
  /** The input row of its task as JSON; null if the task is a plain URL. */
  input: string | null
}

/** The `_page` object of an exported record. */
export interface PageNote {
  url: string
  final_url: string
  status: number
  fetched_at: string
  task_id: string
  scraper: string
  item_id?: string
  /** Whether the page was fetched over HTTP or with a browser. */
  way: TaskWay
  why?: string
  /** How the browser's wait for the page's content ended. */
  settled?: Settled
  artifacts?: string[]
  warnings?: PageWarning[]
}
