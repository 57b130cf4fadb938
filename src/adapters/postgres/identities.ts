// Page identities of a group commit: read first, compared in order, written with the other rows.
import type { Reason } from '../../model/task.ts'
import type { Settlement } from '../../ports/store.ts'
import type { Gatherer } from './bulk-writes.ts'
import { type Holders, placeOf, type SeenKey, type SeenRow, seenNow, spaces } from './seen.ts'

/** A page with its identities: canonical URL and content hash. */
interface IdentifiedPage {
  jobNo: number
  settlement: Pick<Settlement, 'n' | 'identity'>
}

export const identitiesOf = ({ jobNo, settlement: { identity } }: IdentifiedPage): SeenKey[] =>
  (['canonical', 'content'] as const).flatMap(kind => {
    const key = identity[kind]
    return key === null ? [] : [{ job_no: jobNo, space: spaces[kind], key }]
  })

export class Identities {
  readonly #holders: Map<string, number>
  readonly #entered = new Map<string, SeenRow>()

  /** `holders` are read while the jobs are locked, so they cannot change before the end of the transaction. */
  constructor(holders: Holders) {
    this.#holders = new Map(holders)
  }

  /** The task that this page duplicates. Null if the page is new; then it becomes the owner of its identities. */
  judge({ jobNo, settlement }: IdentifiedPage): { reason: Reason; duplicateOf: number } | null {
    const { canonical, content } = settlement.identity
    const { n } = settlement
    const asCanonical =
      canonical === null ? null : { job_no: jobNo, space: spaces.canonical, key: canonical, n }
    const canonicalOf = asCanonical && this.#otherHolder(asCanonical)
    if (canonicalOf !== null) return { reason: 'duplicate.canonical', duplicateOf: canonicalOf }
    const contentOf =
      content === null ? null : this.#otherHolder({ job_no: jobNo, space: spaces.content, key: content, n })
    if (contentOf === null) return null
    // A duplicate must not own its canonical URL. Otherwise any next page with this URL would be a duplicate too.
    if (asCanonical) this.#leave(asCanonical)
    return { reason: 'duplicate.content', duplicateOf: contentOf }
  }

  write(changes: Gatherer): void {
    if (this.#entered.size > 0) changes.add(seenNow, [...this.#entered.values()])
  }

  #otherHolder(row: SeenRow): number | null {
    const place = placeOf(row)
    const holder = this.#holders.get(place)
    if (holder !== undefined) return holder === row.n ? null : holder
    this.#holders.set(place, row.n)
    this.#entered.set(place, row)
    return null
  }

  #leave(row: SeenRow): void {
    const place = placeOf(row)
    if (this.#entered.delete(place)) this.#holders.delete(place)
  }
}
