// The proxies API: the health of the operator's proxies, and checking them now.
import * as z from 'zod'
import type { ProxyState } from '../../model/policy/proxy.ts'
import { isoTimeOrNull } from '../answers.ts'
import type { RouteGroup } from '../app.ts'
import { keepToOperators } from '../operators-only.ts'

const shownProxy = z.object({
  name: z
    .string()
    .describe(
      'Address of the proxy. A second proxy with the same address ends in `#2`. It never contains the user or password.',
    ),
  source: z.string().describe('`operator`, or the name of a provider.'),
  healthy: z.boolean(),
  successes: z.int(),
  failures: z.int(),
  trouble: z.string().nullable().describe('The problem, while the proxy is unhealthy.'),
  unhealthySince: z.string().nullable(),
})

const shownProxies = z.object({ proxies: z.array(shownProxy) })

/** Shared by all workspaces, like hosts. */
const config = { scope: 'admin' } as const

export const proxiesApi: RouteGroup = {
  name: 'proxies',
  about:
    'The operator’s proxies and their health. It needs the scope `admin`, and a key of the workspace `default`.',
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
