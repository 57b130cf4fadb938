// Previews: fetches one page and shows what rules extract from it, before a job is created.
import type { NewPreview, Preview, PreviewLook, TriedRecord } from '../model/api/previews.ts'
import type { ExtractionRules } from '../model/extraction-rules.ts'
import type { PickAnswer, PickRequest } from '../model/picking.ts'
import { type Connection, pathTo } from './connection.ts'

export type { NewPreview, Preview, PreviewLook, TriedRecord }

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

  /** The list rows and field selectors that the service derives from a click in the page. */
  pick(
    previewId: string,
    request: PickRequest,
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<PickAnswer> {
    return this.#connection.json(pathTo`/previews/${previewId}/pick`, { body: request, signal })
  }

  /** Field selectors that the service's language model proposes for a description. */
  describe(
    previewId: string,
    prompt: string,
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<PickAnswer> {
    return this.#connection.json(pathTo`/previews/${previewId}/describe`, { body: { prompt }, signal })
  }

  /** Tries other rules on the same page, without a new request. Without rules, returns the default record. */
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
