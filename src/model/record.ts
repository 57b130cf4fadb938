// A record: what was extracted from a page, and where each field came from.
import type { PageWarning } from './page/page-warning.ts'
import type { Settled, TaskWay } from './policy/way.ts'

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

export type RecordData = { [field: string]: Json }

/** Where a field came from, or why it is null. */
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
  /** The selector, path or name that gave it. */
  by?: string
  /** For a null: what was looked for and not found, or could not be read. */
  why?: string
  /** For a value that did not fit its schema and was left out: what was wrong with it. */
  wrong?: string
}
export type Provenance = Record<string, FieldSource>

/** What extraction hands on: fields and their sources. */
export interface Extracted {
  data: RecordData
  provenance: Provenance
  /** What looks suspicious about the record; absent when nothing does. */
  warnings?: PageWarning[]
}

/** A record as kept: fields as JSON text, so that it is serialised once. */
export interface NewRecord {
  /** Position among the records of its task, from 0. */
  index: number
  data: string
  provenance: string | null
  finalUrl: string
  status: number
  fetchedAt: number
  /** `id@version` of what made it. */
  scraper: string
  /** A `PageWay` as JSON; null for a plain page of a job that wants no browser, when the record has no warnings. */
  way: string | null
}

export interface StoredRecord extends NewRecord {
  /** Order of commit over the whole store; what paging and exports go by. */
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
  /** Whether it was asked for plainly or by a browser. */
  way: TaskWay
  why?: string
  /** How the browser's wait for its content ended. */
  settled?: Settled
  artifacts?: string[]
  warnings?: PageWarning[]
}
