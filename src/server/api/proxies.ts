// The proxies face: how each proxy of the operator's is doing, and trying them now.
import * as z from 'zod'
import type { ProxyState } from '../../model/policy/proxy.ts'
import { isoTimeOrNull } from '../answers.ts'
import type { RouteGroup } from '../app.ts'
import { keepToOperators } from '../operators-only.ts'

const shownProxy = z.object({
  name: z
    .string()
    .describe('Where it is; a further one at the same place ends in `#2`. Never its user or password.'),
  source: z.string().describe('`operator`, or the name of a provider.'),
  healthy: z.boolean(),
  successes: z.int(),
  failures: z.int(),
  trouble: z.string().nullable().describe('What is wrong with it, while it is unhealthy.'),
  unhealthySince: z.string().nullable(),
})

const shownProxies = z.object({ proxies: z.array(shownProxy) })

/** Shared by all workspaces, like hosts. */
const config = { scope: 'admin' } as const

export const proxiesApi: RouteGroup = {
  name: 'proxies',
  about:
    'The proxies that the operator has set up, and how they are doing. It needs the scope `admin`, and a key of the workspace `default`.',
  addRoutes(app, { parts }) {
    keepToOperators(app)
    const answers = { config, schema: { response: { 200: shownProxies } } }
    app.get(
      '/proxies',
      { ...answers, schema: { ...answers.schema, summary: 'The proxies, and how they are doing' } },
      async () => ({ proxies: (await parts.proxies.list()).map(shown) }),
    )
    app.post(
      '/proxies/check',
      { ...answers, schema: { ...answers.schema, summary: 'Tries each of them now' } },
      async () => ({ proxies: (await parts.proxies.check()).map(shown) }),
    )
  },
}

const shown = ({ name, source, isHealthy, successes, failures, trouble, since }: ProxyState) => ({
  ...{ name, source, healthy: isHealthy, successes, failures, trouble },
  unhealthySince: isHealthy ? null : isoTimeOrNull(since),
})
