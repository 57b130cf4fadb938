// The account API: what a key may do. Clients use it to show only allowed actions.
import * as z from 'zod'
import { keyLimits, keyScopes } from '../../model/access.ts'
import type { RouteGroup } from '../app.ts'

const account = z.object({
  keyId: z.string(),
  workspace: z.string(),
  scopes: z.array(z.enum(keyScopes)),
  limits: keyLimits,
  version: z.string().describe('The version of the service.'),
  webhooksSigned: z.boolean().describe('Whether webhooks have a signature (`SCRAPER_WEBHOOK_SECRET`).'),
})

export const accountApi: RouteGroup = {
  name: 'account',
  about: 'The workspace, scopes and limits of your key.',
  addRoutes(app, { parts, settings }) {
    app.get(
      '/me',
      {
        config: { scope: 'read' },
        schema: { summary: 'Show what your key may do', response: { 200: account } },
      },
      async ({ caller: { keyId, workspace, scopes, limits } }) => ({
        ...{ keyId, workspace, limits, version: parts.version },
        scopes: [...scopes],
        webhooksSigned: (settings.webhookSecret ?? []).length > 0,
      }),
    )
  },
}
