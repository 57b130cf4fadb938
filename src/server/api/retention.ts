// The keeping face: what was kept long enough goes now.
import * as z from 'zod'
import { crawlPattern } from '../../model/conduct.ts'
import { Failure } from '../../model/failures.ts'
import { keptKinds } from '../../model/policy/retention.ts'
import { problemSchema } from '../answers.ts'
import type { App, RouteGroup } from '../app.ts'
import { keepToOperators } from '../operators-only.ts'
import type { Server } from '../parts.ts'

const freed = z.object({ removed: z.int().describe('Objects, files or rows.'), bytes: z.int() })

export const freedByKind = z.object(
  Object.fromEntries(keptKinds.map(kind => [kind, freed])) as Record<
    (typeof keptKinds)[number],
    typeof freed
  >,
)

const body = z
  .strictObject({
    dryRun: z.boolean().default(false).describe('Only say what would go.'),
    compact: z
      .boolean()
      .default(false)
      .describe(
        'Then write the store anew: its file gets smaller, and the service does nothing else meanwhile.',
      ),
  })
  .refine(({ dryRun, compact }) => !(dryRun && compact), 'either a dry run or compact, not both')
  .prefault({})
  .meta({ examples: [{ dry_run: true }] })

export const retentionApi: RouteGroup = {
  name: 'retention',
  about:
    'What is kept for how long, and what goes. It needs the scope `admin`, and a key of the workspace `default`.',
  addRoutes(app, server) {
    keepToOperators(app)
    addRetention(app, server)
    addErasing(app, server)
  },
}

function addRetention(app: App, { parts }: Server): void {
  app.post(
    '/gc',
    {
      config: { scope: 'admin' },
      schema: {
        summary: 'Takes away what was kept long enough, and says what went',
        body,
        response: { 200: z.object({ dryRun: z.boolean(), freed: freedByKind }) },
      },
    },
    async ({ body: options }) => ({
      dryRun: options.dryRun,
      freed: await parts.retention.deleteExpired(options),
    }),
  )
}

const count = z.int()

const receipt = z.object({
  host: z.string(),
  at: z.string(),
  by: z.string().describe('The key that asked for it.'),
  dryRun: z.boolean(),
  neverAgain: z.boolean(),
  counts: z.object({
    jobs: count.describe('Jobs that had something of it.'),
    tasks: count,
    records: count,
    pages: count.describe('Raw pages, overwritten where they lay.'),
    files: count.describe('Screenshots, downloads and files of items.'),
    exports: count.describe('Files that the service made, written anew without it.'),
    robots: count,
    hosts: count.describe('How it stood and was asked.'),
    cookies: count,
    webhooks: count,
    rejected: count,
    modelAnswers: count,
  }),
  notes: z.array(z.string()).describe('What was not reached, and what is to be done about it.'),
})

const isTrue = z.stringbool().default(false)

function addErasing(app: App, { parts }: Server): void {
  app.delete(
    '/hosts/:host/data',
    {
      config: { scope: 'admin' },
      schema: {
        summary: 'Erases everything that was kept of a host, and answers with a receipt',
        params: z.object({ host: z.string().max(300).describe('`example.com`, or `*.example.com`.') }),
        querystring: z.strictObject({
          dryRun: isTrue.describe('Only count it.'),
          andNeverAgain: isTrue.describe(
            'Put it on the do-not-crawl list too, which ends what is under way.',
          ),
          reason: z.string().max(1_000).optional().describe('For that list.'),
        }),
        response: { 200: receipt, 409: problemSchema },
      },
    },
    async ({ params, query: { dryRun, andNeverAgain, reason }, caller }) => {
      const host = patternIn(params.host)
      const options = { host, by: caller.keyId, dryRun, neverAgain: andNeverAgain, reason }
      const erased = await parts.retention.erase(options)
      const { counts } = erased
      if (!dryRun) parts.log.warn({ key_id: caller.keyId, host, counts }, 'the data of a host was erased')
      return erased
    },
  )
}

/** All of a host: a part of one can't be told from the rest in what was kept. */
function patternIn(text: string): string {
  const pattern = crawlPattern(text)
  if (pattern !== null && !pattern.includes('/')) return pattern
  throw new Failure(
    'input.invalid',
    `"${text.slice(0, 100)}" is no host: write it like example.com or *.example.com`,
    {
      path: 'host',
    },
  )
}
