// The account API: what a key may do. Clients use it to show only allowed actions.
import { account } from '../../model/api/service.ts'
import type { RouteGroup } from '../app.ts'

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
