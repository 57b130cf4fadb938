// Counts the sources of fields over many records, with the reasons for missing values.
import type { FieldSource, Provenance } from '../model/record.ts'

/** A source of a field, or the reason for a missing value, with its count. */
export interface SourceCount extends FieldSource {
  count: number
}

export class SourceCounts {
  readonly #fields = new Map<string, Map<string, SourceCount>>()
  records = 0

  add(provenance: Provenance): void {
    this.records++
    for (const [field, source] of Object.entries(provenance)) this.#count(field, source)
  }

  #count(field: string, { from, by, why, wrong }: FieldSource): void {
    const ways = this.#fields.get(field) ?? new Map<string, SourceCount>()
    if (ways.size === 0) this.#fields.set(field, ways)
    // Remove details of the page, which would make every source unique.
    const told: FieldSource = { from, ...(by && { by }), ...(why && { why: general(why) }) }
    const source: FieldSource = { ...told, ...(wrong !== undefined && { wrong: general(wrong) }) }
    const key = JSON.stringify([source.from, source.by, source.why, source.wrong])
    const known = ways.get(key)
    if (known) known.count++
    else ways.set(key, { ...source, count: 1 })
  }

  /** The counts by field, most frequent first. */
  get fields(): Record<string, SourceCount[]> {
    const entries = [...this.#fields].map(([field, ways]): [string, SourceCount[]] => [
      field,
      [...ways.values()].sort((a, b) => b.count - a.count),
    ])
    return Object.fromEntries(entries)
  }
}

const general = (text: string): string => text.replace(/"(?:[^"\\]|\\.)*"/g, '"…"')
