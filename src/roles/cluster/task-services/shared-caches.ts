// Caches that the processes of a cluster share: DNS answers and robots.txt.

import { openRedisCache } from '../../../adapters/redis/cache.ts'
import type { Settings } from '../../../config/settings.ts'
import { type Address, type Resolver, systemResolver } from '../../../fetch/http/index.ts'
import type { RobotsEntry } from '../../../model/host.ts'
import { jsonIn } from '../../../model/json.ts'
import type { SharedCache } from '../../../ports/shared-cache.ts'
import type { HostStore } from '../../../ports/store.ts'
import { needed } from '../services.ts'

export const openCache = (settings: Settings): Promise<SharedCache> =>
  openRedisCache({ url: needed(settings, 'redisUrl'), prefix: settings.redisPrefix })

const namesForMs = 60_000

/** A process that needs the addresses of a name first reads them from the cache. If they are missing, it resolves the name and
 *  caches the addresses. Each process checks the addresses before it connects. */
export const sharedResolver =
  (cache: SharedCache, resolve: Resolver = systemResolver): Resolver =>
  async host => {
    const known = addressesIn(await cache.get(`dns:${host}`))
    if (known) return known
    const addresses = await resolve(host)
    void cache.set(`dns:${host}`, JSON.stringify(addresses), namesForMs)
    return addresses
  }

function addressesIn(text: string | null): Address[] | null {
  const known = parsed<Address[]>(text)
  return Array.isArray(known) && known.length > 0 ? known : null
}

/** Largest cached robots.txt in characters. Larger files are read from the store. */
const mostRobotsLength = 65_536

/** A host store that reads robots.txt from the cache first. This saves store reads when another coordinator starts to lead. */
export const withCachedRobots = (hosts: HostStore, cache: SharedCache, now: () => number): HostStore => ({
  ...hosts,
  async robots(origin) {
    const known = parsed<RobotsEntry>(await cache.get(`robots:${origin}`))
    return known && known.expiresAt > now() ? known : hosts.robots(origin)
  },
  async keepRobots(entry) {
    await hosts.keepRobots(entry)
    if (entry.body.length <= mostRobotsLength)
      await cache.set(`robots:${entry.origin}`, JSON.stringify(entry), entry.expiresAt - now())
  },
})

/** Parses a cached value. Null if another program wrote something else under our key. */
const parsed = <Value>(text: string | null): Value | null => (jsonIn(text ?? '') ?? null) as Value | null
