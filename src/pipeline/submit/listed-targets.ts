// Reads the targets of a list for a plan: its hosts with their number of pages, and a sample of pages spread over the list.
import { givenUrl, hostOf } from '../../frontier/canonical-url.ts'
import { readRows } from '../../jobs/read-rows.ts'
import type { RowSource } from '../../jobs/row-source.ts'
import { taskOfRow } from '../../jobs/row-tasks.ts'
import { inTurns } from '../../lib/polite-work.ts'
import type { GivenSpec } from '../../model/job.ts'
import { listTargets, type PlanTargets } from './plan-targets.ts'

/** An evenly spread sample of a stream of unknown length. When it is full, it drops every second entry and samples half as often. */
class SpreadSample {
  readonly #size: number
  #every = 1
  #seen = 0
  #kept: string[] = []

  constructor(size: number) {
    this.#size = size
  }

  add(url: string): void {
    if (this.#seen++ % this.#every !== 0) return
    this.#kept.push(url)
    if (this.#kept.length < this.#size * 2) return
    this.#kept = this.#kept.filter((_, index) => index % 2 === 0)
    this.#every *= 2
  }

  get urls(): string[] {
    return this.#kept.slice(0, this.#size)
  }
}

export async function listedTargets(
  given: GivenSpec,
  source: RowSource | null,
  size: number,
): Promise<PlanTargets> {
  const hosts = new Map<string, number>()
  const sample = new SpreadSample(size)
  let rows = 0
  let skipped = 0
  const add = (raw: unknown) => {
    rows += 1
    const url = typeof raw === 'string' ? givenUrl(raw) : null
    if (url === null) {
      skipped += 1
      return
    }
    hosts.set(hostOf(url), (hosts.get(hostOf(url)) ?? 0) + 1)
    sample.add(url)
  }
  await inTurns(given.urls ?? [], add)
  await inTurns(given.items ?? [], ({ input }) => add(input.url))
  if (source) for await (const urls of rowUrls(source, given.urlColumn)) for (const url of urls) add(url)
  return listTargets(hosts, sample.urls, { rows, skipped })
}

async function* rowUrls(
  source: RowSource,
  urlColumn: string | undefined,
): AsyncGenerator<Array<string | null>> {
  const reading = { urlColumn, input: null, urlOptional: false }
  for await (const rows of readRows(source))
    yield rows.flatMap(row => {
      const result = taskOfRow(row, reading)
      if (result.is === 'blank') return []
      return [result.is === 'task' ? result.task.url : null]
    })
}
