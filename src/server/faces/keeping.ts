// The keeping face: what was kept long enough goes now.
import * as z from 'zod'
import { keptKinds } from '../../model/retention.ts'
import type { App, Face } from '../app.ts'
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
  .strictObject({ dryRun: z.boolean().default(false).describe('Only say what would go.') })
  .prefault({})
  .meta({ examples: [{ dry_run: true }] })

export const keepingFace: Face = {
  name: 'keeping',
  about:
    'What is kept for how long, and what goes. It needs the scope `admin`, and a key of the workspace `default`.',
  addRoutes(app, server) {
    keepToOperators(app)
    addTidying(app, server)
  },
}

function addTidying(app: App, { parts }: Server): void {
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
    async ({ body: { dryRun } }) => ({ dryRun, freed: await parts.keeping.tidy({ dryRun }) }),
  )
}
