// Who a key is to the service: for programs that show only what it may do.
import * as z from 'zod'
import { keyLimits, keyScopes } from '../../model/access.ts'
import type { RouteGroup } from '../app.ts'

const account = z.object({
  keyId: z.string(),
  workspace: z.string(),
  scopes: z.array(z.enum(keyScopes)),
  limits: keyLimits,
  version: z.string().describe('Of the service.'),
})

export const accountApi: RouteGroup = {
  name: 'account',
  about: 'Who your key is here, and what it may do.',
  addRoutes(app, { parts }) {
    app.get(
      '/me',
      { config: { scope: 'read' }, schema: { summary: 'Who you are here', response: { 200: account } } },
      async ({ caller: { keyId, workspace, scopes, limits } }) => ({
        ...{ keyId, workspace, limits, version: parts.version },
        scopes: [...scopes],
      }),
    )
  },
}
