// Previews: one page as people and rules see it, before a job is created.
import type { ExtractionRules } from '../model/extraction-rules.ts'
import type { PickAnswer, PickRequest } from '../model/picking.ts'
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
  /** Source of each field, or why it is null. */
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
  /** With `render: 'auto'`: why the page was loaded again with a browser. */
  renderedWhy: string | null
  /** Whether the service can propose fields from a description: `describe`. */
  hasModel: boolean
  title: string | null
  /** Null if it is not text. */
  text: string | null
  markdown: string | null
  html: string | null
  artifacts: string[]
  maker: string
  records: TriedRecord[]
  /** Why there is no record, although the page was fetched. */
  problem: { code: string; message: string } | null
}

/** The page for display in a frame without scripts. */
export interface PreviewLook {
  /** Elements have `data-kscrape-node` with their number. */
  html: string
  styles: string[]
  images: Array<{ node: number; data: string }>
  inStyles: Array<{ address: string; data: string }>
  /** Why the page is empty without a browser; null if it is not. */
  shell: string | null
  missing: number
}

export class Previews {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  create(preview: NewPreview, { signal }: { signal?: AbortSignal } = {}): Promise<Preview> {
    return this.#connection.json('/previews', { body: preview, signal })
  }

  look(previewId: string, { signal }: { signal?: AbortSignal } = {}): Promise<PreviewLook> {
    return this.#connection.json(pathTo`/previews/${previewId}/look`, { signal })
  }

  /** The rows and fields that a click means. */
  pick(
    previewId: string,
    request: PickRequest,
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<PickAnswer> {
    return this.#connection.json(pathTo`/previews/${previewId}/pick`, { body: request, signal })
  }

  /** Fields that the service's model proposes for a description. */
  describe(
    previewId: string,
    prompt: string,
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<PickAnswer> {
    return this.#connection.json(pathTo`/previews/${previewId}/describe`, { body: { prompt }, signal })
  }

  /** Tries other rules on the same page without a new request; without rules, the default record. */
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
