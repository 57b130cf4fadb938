// Metrics of the browser pool, reported by processes that have one.
import { Gauge } from 'prom-client'
import type { Events } from '../../model/events.ts'
import type { OpenGroup } from './group.ts'

type Pool = Events['browser.counted']

const nothing: Pool = {
  ...{ total: 0, available: 0, inUse: 0, pagesProcessed: 0, recycledCount: 0 },
  browsers: [],
  seats: [],
}

export const browserMetrics: OpenGroup = registry => {
  let pool = nothing
  const gauge = (name: string, help: string, read: (pool: Pool) => number): void => {
    new Gauge({
      ...{ name: `kscrape_${name}`, help, registers: [registry] },
      collect() {
        this.set(read(pool))
      },
    })
  }
  gauge('browsers_active', 'Running browsers', ({ browsers }) => browsers.filter(isUp).length)
  gauge('browser_pages_open', 'Pages that are open in browsers', ({ inUse }) => inUse)
  gauge('browser_pages_free', 'Browser pages that could still be opened', ({ available }) => available)
  gauge(
    'browser_pages_loaded',
    'Pages that browsers loaded since the start',
    ({ pagesProcessed }) => pagesProcessed,
  )
  gauge(
    'browser_replacements',
    'Browsers that were replaced since the start',
    ({ recycledCount }) => recycledCount,
  )
  gauge(
    'browser_connections_open',
    'Browsers that clients control through /cdp and /playwright',
    ({ seats }) => seats.filter(({ kind }) => kind === 'connection').length,
  )
  gauge('browser_memory_bytes', 'Memory of all browsers at the last check', ({ browsers }) =>
    browsers.reduce((sum, { memoryBytes }) => sum + (memoryBytes ?? 0), 0),
  )
  return {
    'browser.counted': counted => {
      pool = counted
    },
  }
}

const isUp = ({ phase }: Pool['browsers'][number]): boolean => phase !== 'gone'
