// Lists of any length, loaded page by page.
import type { Ask, Connection } from './connection.ts'

/** `name` is the response field that contains the entries of a page. */
export async function* pagesOf<Entry>(
  connection: Connection,
  path: string,
  name: string,
  { pageSize, ...query }: Ask['query'] & { pageSize?: number | undefined } = {},
  signal?: AbortSignal,
): AsyncGenerator<Entry> {
  for (let cursor: string | null = null; ; ) {
    const page: Record<string, unknown> & { nextCursor?: string | null } = await connection.json(path, {
      query: { ...query, limit: pageSize, ...(cursor !== null && { cursor }) },
      signal,
    })
    yield* page[name] as Entry[]
    if (!page.nextCursor) return
    cursor = page.nextCursor
  }
}
