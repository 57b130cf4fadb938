// One page as people and rules see it, before a job is made of it.
import type { ExtractionRules } from '../model/extraction-rules.ts'
import type { RenderMode } from '../model/policy/rendering.ts'
import type { TaskWay } from '../model/policy/way.ts'
import type { Provenance } from '../model/record.ts'
import { type Connection, pathTo } from './connection.ts'

export interface NewPreview {
  url: string
  /** Whether a browser fetches it; `true` brings a screenshot too. */
  render?: boolean | RenderMode
  waitFor?: number | string
  headers?: Record<string, string>
  userAgent?: string
  extract?: ExtractionRules
  timeoutS?: number
}

export interface TriedRecord {
  data: Record<string, unknown>
  /** Where each field came from, or why it is null. */
  provenance: Provenance
}

export interface Preview {
  /** Also the id of the job that it was fetched by. */
  previewId: string
  itemId: string
  url: string
  finalUrl: string
  httpStatus: number
  contentType: string | null
  way: TaskWay
  render: RenderMode
  bytes: number
  fetchedAt: string
  durationMs: number
  title: string | null
  /** Null where it is no text. */
  text: string | null
  markdown: string | null
  html: string | null
  artifacts: string[]
  maker: string
  records: TriedRecord[]
  /** Why there is no record, where the page was had and could not be read. */
  problem: { code: string; message: string } | null
}

export class Previews {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  create(preview: NewPreview, { signal }: { signal?: AbortSignal } = {}): Promise<Preview> {
    return this.#connection.json('/previews', { body: preview, signal })
  }

  /** Other rules on the same page, without asking for it again; without rules, the default record. */
  extract(
    previewId: string,
    extract?: ExtractionRules,
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<{
    previewId: string
    maker: string
    records: TriedRecord[]
    problem: { code: string; message: string } | null
  }> {
    const body = extract ? { extract } : {}
    return this.#connection.json(pathTo`/previews/${previewId}/extract`, { body, signal })
  }
}
