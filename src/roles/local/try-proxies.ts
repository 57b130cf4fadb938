// Lists and checks the operator's proxies without a job.

import { operatorProxies } from '../../config/operator-proxies.ts'
import type { Settings } from '../../config/settings.ts'
import { CookieJar, EgressGate, openHttpFetch } from '../../fetch/http/index.ts'
import { checkProxy } from '../../fetch/proxies/check.ts'
import { addressFor, type ProxyEndpoint } from '../../fetch/proxies/endpoint.ts'
import { type OperatorProxies, operatorEndpoints, ownPlacesOf } from '../../fetch/proxies/job-proxies.ts'
import { userAgentOf } from '../../lib/user-agent.ts'
import { asFailure } from '../../model/failures.ts'
import { timeouts } from '../../model/policy/policy.ts'
import { dialerFor } from '../proxy-pool.ts'

export interface KnownProxy {
  name: string
  source: string
  country: string | null
  hasUser: boolean
}

export interface TriedProxy {
  name: string
  source: string
  works: boolean
  /** HTTP status of the page that was fetched through the proxy; null if only the proxy was tested. */
  status: number | null
  ms: number
  trouble: string | null
}

export const knownProxies = (settings: Settings): KnownProxy[] =>
  operatorEndpoints(operatorProxies(settings)).map(({ name, source, country, username }) => ({
    ...{ name, source, country },
    hasUser: username !== null,
  }))

/** Tests all proxies in parallel. With a URL, fetches that page once through each proxy, without waiting for the host's rate. */
export async function tryProxies(settings: Settings, url: string | null): Promise<TriedProxy[]> {
  const operator = operatorProxies(settings)
  const endpoints = operatorEndpoints(operator)
  const attempt = url === null ? reach(operator, settings) : fetchPage(operator, settings, url, endpoints)
  return Promise.all(
    endpoints.map(async endpoint => {
      const startedAt = performance.now()
      const { status, trouble } = await attempt(endpoint)
      const { name, source } = endpoint
      const ms = Math.round(performance.now() - startedAt)
      return { name, source, works: trouble === null, status, ms, trouble }
    }),
  )
}

type Attempt = (endpoint: ProxyEndpoint) => Promise<{ status: number | null; trouble: string | null }>

const reach =
  (operator: OperatorProxies, settings: Settings): Attempt =>
  async endpoint => {
    const { trouble } = await checkProxy(dialerFor(operator, settings, [endpoint]), endpoint, null)
    return { status: null, trouble }
  }

const fetchPage =
  (operator: OperatorProxies, settings: Settings, url: string, endpoints: ProxyEndpoint[]): Attempt =>
  async endpoint => {
    await using http = openHttpFetch({
      gate: new EgressGate({ allowPrivate: settings.allowPrivate }),
      userAgent: userAgentOf(settings),
      proxies: { ownPlaces: ownPlacesOf(endpoints), names: operator.names },
      ...(settings.caFile && { caFile: settings.caFile }),
    })
    const fetch = http.fetchAs({ cookies: new CookieJar(), proxy: addressFor(endpoint, 'test') })
    const request = { url, timeouts: timeouts.parse({}), maxBytes: 1_048_576 }
    try {
      const { status } = await fetch(request, AbortSignal.timeout(60_000))
      return { status, trouble: null }
    } catch (error) {
      return { status: null, trouble: asFailure(error).message }
    }
  }
