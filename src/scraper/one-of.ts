// Joins several scrapers to one. Each row selects one of them with `target_type`.

import type { PolicyInput, Rate } from '../model/policy/policy.ts'
import { joinedId } from '../model/scraper-ids.ts'
import type { StandardResult, StandardSchema } from '../model/standard-schema.ts'
import type { Scraper, ScraperContext } from './define-scraper.ts'

/** The context of a joined scraper. `runAs` runs a row with one of the joined scrapers. */
export interface JoinedContext extends ScraperContext<unknown, unknown> {
  runAs: (scraper: Scraper, row: Record<string, unknown>) => Promise<void>
}

export function oneOf(scrapers: readonly Scraper[]): Scraper {
  const ids = scrapers.map(({ id }) => id)
  return {
    id: joinedId(ids),
    version: scrapers.map(({ version }) => version).join('+'),
    name: ids.join(', '),
    description: `Each row is for one of these, by its target_type: ${ids.join(', ')}.`,
    input: rowsFor(scrapers),
    policy: mostCareful(scrapers.map(({ policy = {} }) => policy)),
    run: context => {
      const { input, runAs } = context as JoinedContext
      const { target_type, ...row } = input as TypedRow
      return runAs(scrapers.find(({ id }) => id === target_type)!, row)
    },
  }
}

interface TypedRow {
  target_type: string
  [field: string]: unknown
}

/** The input schema of all rows. It checks each row with the schema of the row's scraper. That scraper validates the row again
 *  when the task runs. */
function rowsFor(scrapers: readonly Scraper[]): StandardSchema {
  const validate = (value: unknown): StandardResult<unknown> => {
    const { target_type, ...row } = value as TypedRow
    const scraper = scrapers.find(({ id }) => id === target_type)
    if (!scraper) return { issues: [{ path: ['target_type'], message: unknownType(scrapers) }] }
    const result = scraper.input?.['~standard'].validate(row)
    // An asynchronous schema cannot be checked here. It is checked when the task runs.
    return result instanceof Promise || !result?.issues ? { value } : result
  }
  return { '~standard': { version: 1, vendor: 'kscrape', validate } }
}

const unknownType = (scrapers: readonly Scraper[]): string =>
  `one of ${scrapers.map(({ id }) => `"${id}"`).join(', ')}`

/** The scrapers share the job's requests, so the lowest rate applies. */
function mostCareful(policies: readonly PolicyInput[]): PolicyInput {
  const hosts = policies.flatMap(({ host }) => (host ? [host] : []))
  const rates = hosts.flatMap(({ rate }) => (rate === undefined ? [] : [rate]))
  const concurrencies = hosts.flatMap(({ concurrency }) => (concurrency === undefined ? [] : [concurrency]))
  const modes = new Set(policies.map(({ render }) => render))
  const [render] = modes
  return {
    // If the render modes differ, each row uses the mode of its own scraper.
    ...(modes.size === 1 && render !== undefined && { render }),
    host: {
      ...(rates.length > 0 && { rate: rates.reduce(slower) }),
      ...(concurrencies.length > 0 && { concurrency: Math.min(...concurrencies) }),
    },
  }
}

const slower = (a: Rate, b: Rate): Rate => (a === 'unlimited' ? b : b === 'unlimited' ? a : Math.min(a, b))
