// Identities of pages: what a group asks about is read at once, judged in order, and what is new written at once.
import type { Key, Reason } from '../../model/task.ts'
import type { Settlement } from '../../ports/store.ts'
import type { Queries, Transaction } from './database.ts'
import { rowsTable } from './rows.ts'

const canonicalSpace = 1
const contentSpace = 2

interface SeenRow {
  job_no: number
  space: number
  key: Key
  n: number
}

/** A page, as far as its identities go. */
export type Identified = Pick<Settlement, 'n' | 'identity'>

const columns = { job_no: 'bigint', space: 'integer', key: 'bigint', n: 'bigint' } as const
const placeOf = (jobNo: number, space: number, key: Key): string => `${jobNo} ${space} ${key}`

export class Identities {
  readonly #holders = new Map<string, number>()
  readonly #entered = new Map<string, SeenRow>()

  /** The jobs are held, so nobody enters anything between this and `write`. */
  static async read(
    queries: Queries,
    pages: Array<{ jobNo: number; settlement: Identified }>,
  ): Promise<Identities> {
    const identities = new Identities()
    const asked = pages.flatMap(({ jobNo, settlement }) => askedBy(jobNo, settlement))
    if (asked.length === 0) return identities
    const wanted = rowsTable('r', columns, asked)
    const rows = await queries.all<Omit<SeenRow, 'key'> & { key: string }>(
      `SELECT s.job_no, s.space, s.key::text AS key, s.n FROM ${wanted.sql}
       JOIN seen s ON s.job_no = r.job_no AND s.space = r.space AND s.key = r.key`,
      ...wanted.values,
    )
    for (const { job_no, space, key, n } of rows)
      identities.#holders.set(placeOf(job_no, space, BigInt(key)), n)
    return identities
  }

  /** Of which other task this page is a duplicate; null when it stands for itself, and holds its identities from now on. */
  judge(jobNo: number, { n, identity }: Identified): { reason: Reason; duplicateOf: number } | null {
    const { canonical, content } = identity
    const canonicalOf = canonical === null ? null : this.#otherHolder(jobNo, canonicalSpace, canonical, n)
    if (canonicalOf !== null) return { reason: 'duplicate.canonical', duplicateOf: canonicalOf }
    const contentOf = content === null ? null : this.#otherHolder(jobNo, contentSpace, content, n)
    if (contentOf === null) return null
    // A duplicate holds nothing: the next page with this canonical is judged by itself.
    if (canonical !== null) this.#leave(jobNo, canonicalSpace, canonical)
    return { reason: 'duplicate.content', duplicateOf: contentOf }
  }

  write(queries: Transaction): void {
    if (this.#entered.size === 0) return
    const entered = rowsTable('r', columns, [...this.#entered.values()])
    queries.send(
      `INSERT INTO seen (job_no, space, key, n) SELECT job_no, space, key, n FROM ${entered.sql}`,
      ...entered.values,
    )
  }

  #otherHolder(jobNo: number, space: number, key: Key, n: number): number | null {
    const place = placeOf(jobNo, space, key)
    const holder = this.#holders.get(place)
    if (holder !== undefined) return holder === n ? null : holder
    this.#holders.set(place, n)
    this.#entered.set(place, { job_no: jobNo, space, key, n })
    return null
  }

  #leave(jobNo: number, space: number, key: Key): void {
    const place = placeOf(jobNo, space, key)
    if (this.#entered.delete(place)) this.#holders.delete(place)
  }
}

const askedBy = (jobNo: number, { n, identity }: Identified): SeenRow[] =>
  (
    [
      [canonicalSpace, identity.canonical],
      [contentSpace, identity.content],
    ] as const
  ).flatMap(([space, key]) => (key === null ? [] : [{ job_no: jobNo, space, key, n }]))
