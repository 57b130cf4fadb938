// The retention API: deletes expired data, and erases the data of a host.
import * as z from 'zod'
import { erasureReceipt } from '../../model/api/operations.ts'
import { crawlPattern } from '../../model/conduct.ts'
import { Failure } from '../../model/failures.ts'
import { keptKinds } from '../../model/policy/retention.ts'
import type { App, RouteGroup } from '../app.ts'
import { problemSchema } from '../http/responses.ts'
import { keepToOperators } from '../operators-only.ts'
import type { Server } from '../parts.ts'

const freed = z.object({ removed: z.int().describe('Objects, files or rows.'), bytes: z.int() })

const freedByKind = z.object(
  Object.fromEntries(keptKinds.map(kind => [kind, freed])) as Record<
    (typeof keptKinds)[number],
    typeof freed
  >,
)

const body = z
  .strictObject({
    dryRun: z.boolean().default(false).describe('Only report what would be deleted.'),
    compact: z
      .boolean()
      .default(false)
      .describe(
        'Rewrite the store file afterwards to make it smaller. The service is blocked during that time.',
      ),
  })
  .refine(({ dryRun, compact }) => !(dryRun && compact), 'use either dry_run or compact, not both')
  .prefault({})
  .meta({ examples: [{ dry_run: true }] })

export const retentionApi: RouteGroup = {
  name: 'retention',
  about: 'Retention and erasure. This API needs the scope `admin`, and a key of the workspace `default`.',
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
        summary: 'Delete expired data and report what was deleted',
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

const isTrue = z.stringbool().default(false)

function addErasing(app: App, { parts }: Server): void {
  app.delete(
    '/hosts/:host/data',
    {
      config: { scope: 'admin' },
      schema: {
        summary: 'Erase all stored data of a host and return a receipt',
        params: z.object({ host: z.string().max(300).describe('`example.com`, or `*.example.com`.') }),
        querystring: z.strictObject({
          dryRun: isTrue.describe('Only count the data; erase nothing.'),
          andNeverAgain: isTrue.describe(
            'Also add the host to the do-not-crawl list, so that running tasks of the host end.',
          ),
          reason: z.string().max(1_000).optional().describe('Reason for the entry of the do-not-crawl list.'),
        }),
        response: { 200: erasureReceipt, 409: problemSchema },
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

/** Parses a host pattern. Paths are refused, because stored data cannot be separated by path. */
export function patternIn(text: string): string {
  const pattern = crawlPattern(text)
  if (pattern !== null && !pattern.includes('/')) return pattern
  throw new Failure(
    'input.invalid',
    `"${text.slice(0, 100)}" is not a host; write it like example.com or *.example.com`,
    {
      path: 'host',
    },
  )
}
