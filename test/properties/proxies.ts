// Helpers for the properties of proxies: some proxies, and failures of two kinds.
import fc from 'fast-check'
import { named, parseProxy } from '../../src/fetch/proxies/endpoint.ts'
import { ProxySet } from '../../src/fetch/proxies/proxy-set.ts'
import type { FailureJson } from '../../src/model/failures.ts'

export const proxySetOf = (count: number): { proxySet: ProxySet; names: string[] } => {
  const endpoints = named(
    Array.from({ length: count }, (_, index) => parseProxy(`http://u:p@p${index}.example:8080`)),
  )
  return { proxySet: new ProxySet(endpoints), names: endpoints.map(({ name }) => name) }
}

export const ofProxy: FailureJson = { code: 'proxy.failed', message: 'down', details: { blames: 'proxy' } }
export const doubtful: FailureJson = { code: 'connection.lost', message: 'broke off' }

/** A number of proxies, and a choice of those that are down. */
export const someDown = fc
  .integer({ min: 1, max: 12 })
  .chain(count =>
    fc.tuple(fc.constant(count), fc.uniqueArray(fc.nat({ max: count - 1 }), { maxLength: count })),
  )

export const host = 'shop.example'
export const t0 = Date.UTC(2026, 0, 1)
