// Response schemas of the operation of a service: health, workers, settings, scrapers, sessions, erasure.
import * as z from 'zod'

export const healthReport = z.object({
  status: z.enum(['ok', 'degraded']),
  version: z.string(),
  uptimeSeconds: z.int(),
  browserPool: z
    .object({
      total: z.int(),
      available: z.int(),
      inUse: z.int(),
      pagesProcessed: z.int(),
      recycledCount: z.int(),
    })
    .describe(
      'The places for browser pages: `total` pages can be open at the same time. Before the first browser starts, all places are available.',
    ),
  proxies: z.object({
    healthy: z.int(),
    unhealthy: z.int(),
    each: z
      .array(z.object({ healthy: z.boolean(), successes: z.int(), failures: z.int() }))
      .describe(
        'One entry per proxy, in the configured order. `GET /proxies` shows their names; it needs an admin key.',
      ),
  }),
  queue: z
    .object({
      queueDepth: z.int().describe('Waiting tasks.'),
      activeWorkers: z.int().describe('Tasks in flight.'),
      avgDuration: z.number().nullable().describe('Average duration of a task in seconds.'),
    })
    .nullable()
    .describe('The work of all workspaces. Null unless the request has a key of the workspace `default`.'),
})

export const readiness = z.object({
  ready: z.boolean(),
  checks: z.record(z.string(), z.string()).describe('Result of each check: `ok`, or the problem.'),
})

export type HealthReport = z.infer<typeof healthReport>
/** The report for an operator. */
export type WholeHealthReport = HealthReport & { queue: NonNullable<HealthReport['queue']> }
export type Readiness = z.infer<typeof readiness>

const worker = z.object({
  name: z.string(),
  role: z.string(),
  concurrency: z.int().describe('Maximum number of tasks in flight.'),
  inFlight: z.int().describe('Tasks in flight.'),
  memoryBytes: z.int().nullable(),
  startedAt: z.string().nullable(),
})

const browser = z.object({
  worker: z
    .string()
    .nullable()
    .describe('The worker that owns the browser; null if one process does everything.'),
  pid: z.int(),
  driver: z.string(),
  phase: z.enum(['serving', 'retiring', 'gone']),
  startedAt: z.string(),
  pages: z.int().describe('Pages that the browser has loaded.'),
  inUse: z.int().describe('Pages that tasks have open.'),
  memoryBytes: z.int().nullable(),
})

export const workers = z.object({
  version: z.string(),
  uptimeSeconds: z.int(),
  queueDepth: z.int(),
  workers: z.array(worker),
  browserPool: z
    .object({
      ...{ total: z.int(), available: z.int(), inUse: z.int() },
      ...{ pagesProcessed: z.int(), recycledCount: z.int() },
      browsers: z.array(browser),
    })
    .nullable()
    .describe('Null if no browser has started yet.'),
  readiness: z.object({ ready: z.boolean(), checks: z.record(z.string(), z.string()) }),
})

export const setting = z.object({
  name: z.string(),
  env: z.string(),
  about: z.string(),
  value: z.unknown().describe('The value of the setting. For a secret, only whether it is set.'),
  defaultValue: z.unknown(),
  isDefault: z.boolean(),
})

export type WorkersShown = z.infer<typeof workers>
export type WorkerShown = z.infer<typeof worker>
export type BrowserShown = z.infer<typeof browser>
export type SettingShown = z.infer<typeof setting>

const shownScraper = z.object({
  scraperId: z.string().describe('The id of the scraper, for `scraper_id` of a job.'),
  version: z.string(),
  name: z.string(),
  description: z.string(),
  kind: z.enum(['code', 'rules']),
})

export const shownScrapers = z.object({
  scrapers: z.array(shownScraper),
  broken: z
    .array(z.object({ file: z.string(), message: z.string() }))
    .describe('Files that could not be loaded. Only jobs that name their scrapers fail.'),
})

export type ScrapersShown = z.infer<typeof shownScrapers>

export const shownSession = z.object({
  name: z.string().describe('The name of the session, for `session` of a job.'),
  savedAt: z.string(),
  cookies: z.int(),
  domains: z.array(z.string()).describe('Domains of the cookies.'),
  origins: z.int().describe('Number of origins with local storage.'),
})

export type SessionShown = z.infer<typeof shownSession>

const count = z.int()

export const erasureReceipt = z.object({
  host: z.string(),
  at: z.string(),
  by: z.string().describe('The key that requested the erasure.'),
  dryRun: z.boolean(),
  neverAgain: z.boolean(),
  counts: z.object({
    jobs: count.describe('Jobs that had data of the host.'),
    tasks: count,
    records: count,
    pages: count.describe('Raw pages, overwritten in place.'),
    files: count.describe('Screenshots, downloads and files of items.'),
    exports: count.describe('Output files, rewritten without the data.'),
    robots: count,
    hosts: count.describe('State and policy of the host.'),
    cookies: count,
    webhooks: count,
    rejected: count,
    modelAnswers: count,
  }),
  notes: z.array(z.string()).describe('Data that was not erased, and what to do about it.'),
})

export type ErasureReceipt = z.infer<typeof erasureReceipt>
export type ErasedCounts = ErasureReceipt['counts']
