// The egress gate. It checks every URL and every resolved address before a connection is opened.
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { Failure } from '../../model/failures.ts'
import { isPublicAddress } from './addresses.ts'

export interface Address {
  address: string
  family: number
}

/** Resolves a name to all its addresses. Rejects with the system's error (`ENOTFOUND`, `EAI_AGAIN`, …). */
export type Resolver = (host: string) => Promise<Address[]>

export interface GateOptions {
  /** Exact `host:port` pairs that the operator allowed. Their resolved addresses are not checked. */
  allowPrivate: string[]
  resolve?: Resolver
  dnsCacheMs?: number
}

const maxUrlLength = 8_192
const maxCachedNames = 10_000

/** Top-level names that are valid only inside a network: RFC 6761, 6762 (appendix G), 8375, and cluster DNS. */
const insideSuffixes = new Set([
  'localhost',
  'localdomain',
  'local',
  'internal',
  'intranet',
  'private',
  'lan',
  'home',
  'corp',
  'svc',
  'home.arpa',
  'cluster.local',
])

/** Public names that resolve to the metadata service of a cloud. */
const metadataNames = new Set([
  'metadata.tencentyun.com',
  'metadata.platformequinix.com',
  'metadata.packet.net',
  'api.metadata.cloud.ibm.com',
])

interface CachedAnswer {
  answer: Promise<Address[]>
  expiresAt: number
}

export class EgressGate {
  readonly #allowed: ReadonlySet<string>
  readonly #resolve: Resolver
  readonly #dnsCacheMs: number
  readonly #cache = new Map<string, CachedAnswer>()

  constructor({ allowPrivate, resolve = systemResolver, dnsCacheMs = 60_000 }: GateOptions) {
    this.#allowed = new Set(allowPrivate.map(canonicalPair))
    this.#resolve = resolve
    this.#dnsCacheMs = dnsCacheMs
  }

  /** Checks a URL by its text alone, without DNS. Returns the URL to request, without credentials and trailing dot. */
  judgeUrl(text: string): URL {
    const url = parseTarget(text)
    if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refusedScheme(url)
    if (url.username !== '' || url.password !== '') url.username = url.password = ''
    if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1)
    this.judgeHost(hostOf(url), portOf(url))
    return url
  }

  /** Checks a host and port without DNS. */
  judgeHost(host: string, port: number): void {
    if (this.#allowed.has(`${host}:${port}`)) return
    const refusal =
      isIP(host) === 0 ? nameRefusal(host) : isPublicAddress(host) ? null : 'is not a public address'
    if (refusal !== null) throw refused(host, port, refusal)
    if (refusedPorts.has(port)) throw refused(host, port, 'is on a port that websites do not use')
  }

  /** Resolves a host and checks all its addresses. One forbidden address refuses the name. Connect only to the returned
   *  addresses. */
  async resolve(host: string, port: number): Promise<Address[]> {
    this.judgeHost(host, port)
    const family = isIP(host)
    if (family !== 0) return [{ address: host, family }]
    const addresses = await this.#cached(host)
    if (addresses.length === 0) throw new Failure('dns.not-found', `${host} has no address`, { host })
    if (this.#allowed.has(`${host}:${port}`)) return addresses
    if (addresses.every(({ address }) => isPublicAddress(address))) return addresses
    throw refused(host, port, 'leads to an address that is not public')
  }

  #cached(host: string): Promise<Address[]> {
    const known = this.#cache.get(host)
    if (known !== undefined && known.expiresAt > Date.now()) return known.answer
    const answer = this.#resolve(host)
    this.#remember(host, { answer, expiresAt: Date.now() + this.#dnsCacheMs })
    return answer
  }

  #remember(host: string, entry: CachedAnswer): void {
    this.#cache.delete(host)
    this.#cache.set(host, entry)
    // Remove a failed lookup, so that the next request tries again.
    entry.answer.catch(() => this.#cache.get(host) === entry && this.#cache.delete(host))
    if (this.#cache.size > maxCachedNames) this.#cache.delete(this.#cache.keys().next().value!)
  }
}

export const systemResolver: Resolver = host => lookup(host, { all: true })

function parseTarget(text: string): URL {
  if (text.length > maxUrlLength) {
    throw new Failure('input.invalid', `A URL of ${text.length} characters is longer than ${maxUrlLength}`)
  }
  const url = URL.parse(text)
  if (url === null) {
    throw new Failure('input.invalid', `"${text}" is not a URL; write it like https://example.com/`, {
      url: text,
    })
  }
  return url
}

/** The host in the form that DNS and sockets use: IPv6 without brackets. */
export function hostOf(url: URL): string {
  const name = url.hostname
  return name.startsWith('[') ? name.slice(1, -1) : name
}

export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port)
  return url.protocol === 'https:' ? 443 : 80
}

function nameRefusal(host: string): string | null {
  const labels = host.split('.')
  if (labels.includes('')) return 'is not a host name'
  if (labels.length === 1) return 'is an internal name (it has no dot)'
  if (insideSuffixes.has(labels.at(-1)!) || insideSuffixes.has(labels.slice(-2).join('.'))) {
    return 'is an internal name'
  }
  return metadataNames.has(host) ? 'is a metadata service' : null
}

function refused(host: string, port: number, why: string): Failure {
  const pair = isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`
  return new Failure('address.refused', `${pair} ${why}; --allow-private ${pair} allows this address only`, {
    host,
    port,
  })
}

function refusedScheme(url: URL): Failure {
  const scheme = url.protocol.slice(0, -1)
  return new Failure('address.refused', `The scheme "${scheme}" is not fetched; only http and https are`, {
    scheme,
  })
}

function canonicalPair(text: string): string {
  const url = /^[^\s/?#@]+:\d{1,5}$/.test(text) ? URL.parse(`http://${text}/`) : null
  if (url === null) {
    throw new Failure('input.invalid', `"${text}" is not a host:port to allow; write it like 127.0.0.1:8080`)
  }
  return `${hostOf(url).replace(/\.$/, '')}:${portOf(url)}`
}

/** The ports that every browser refuses ("bad ports" in the WHATWG fetch standard). */
const browserRefused = [
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]

/** Ports of databases, queues and control planes. Many of them accept commands without a password. */
const serviceOnly = [
  445, 873, 1433, 1521, 2181, 2375, 2376, 2377, 2379, 2380, 3306, 3389, 4369, 5432, 5672, 5900, 5984, 6379,
  7473, 7687, 9042, 9092, 9160, 9200, 9300, 10249, 10250, 10255, 11211, 26379, 27017, 27018, 27019, 28017,
]

const refusedPorts: ReadonlySet<number> = new Set([...browserRefused, ...serviceOnly])
