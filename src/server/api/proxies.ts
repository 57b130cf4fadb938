// The proxies API: the health of the operator's proxies, and checking them now.

import { shownProxies } from '../../model/api/service.ts'
import type { ProxyState } from '../../model/policy/proxy.ts'
import type { RouteGroup } from '../app.ts'
import { isoTimeOrNull } from '../http/responses.ts'
import { keepToOperators } from '../operators-only.ts'

/** Proxies are shared by all workspaces, so only the operator may see them. */
const config = { scope: 'admin' } as const

export const proxiesApi: RouteGroup = {
  name: 'proxies',
  about:
    'The operator’s proxies and their health. This API needs the scope `admin`, and a key of the workspace `default`.',
  addRoutes(app, { parts }) {
    keepToOperators(app)
    const answers = { config, schema: { response: { 200: shownProxies } } }
    app.get(
      '/proxies',
      { ...answers, schema: { ...answers.schema, summary: 'List proxies and their health' } },
      async () => ({ proxies: (await parts.proxies.list()).map(shown) }),
    )
    app.post(
      '/proxies/check',
      { ...answers, schema: { ...answers.schema, summary: 'Check every proxy now' } },
      async () => ({ proxies: (await parts.proxies.check()).map(shown) }),
    )
  },
}

const shown = ({ name, source, isHealthy, successes, failures, trouble, since }: ProxyState) => ({
  ...{ name, source, healthy: isHealthy, successes, failures, trouble },
  unhealthySince: isHealthy ? null : isoTimeOrNull(since),
})
