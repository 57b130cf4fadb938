// The scope of a job: decides by host, depth, include and exclude which URLs belong to the job. Compiled once per job.
import { createRequire } from 'node:module'
import { Failure, type FailureCode } from '../model/failures.ts'
import type { JobSpec } from '../model/job.ts'
import { hostOf } from './canonical-url.ts'
import { compileGlob, type Glob } from './globs.ts'

/** Whether a URL is in scope. If not, `rule` names the rule that refused it. */
export type Verdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: FailureCode; readonly rule: string }

export const accepted: Verdict = { ok: true }

export const refusedBy = (reason: FailureCode, rule: string): Verdict => ({ ok: false, reason, rule })

export interface Scope {
  /** `url` must be canonical. `depth` is the depth of the page at this URL; 0 for URLs that the caller named. */
  allows(url: string, depth: number): Verdict
  /** The three parts of the check that `allows` makes, for callers that check many links of one host. */
  allowsDepth(depth: number): Verdict
  allowsHost(host: string): Verdict
  allowsPath(url: string): Verdict
}

export type ScopeSpec = Pick<
  JobSpec,
  'seedUrls' | 'urls' | 'sitemapUrl' | 'depth' | 'allowedDomains' | 'subdomains' | 'include' | 'exclude'
>

export function compileScope(spec: ScopeSpec): Scope {
  const allowsDepth = depthRule(spec.depth)
  const allowsHost = hostRule(spec)
  const allowsPath = pathRule(globsIn(spec, 'include'), globsIn(spec, 'exclude'))
  const allows = (url: string, depth: number): Verdict => {
    const byDepth = allowsDepth(depth)
    if (!byDepth.ok) return byDepth
    const byHost = allowsHost(hostOf(url))
    return byHost.ok ? allowsPath(url) : byHost
  }
  return { allows, allowsDepth, allowsHost, allowsPath }
}

/** Compiles the patterns of a list. An error names the position of the pattern in the list. */
const globsIn = (spec: ScopeSpec, list: 'include' | 'exclude'): Glob[] =>
  spec[list].map((source, index) => {
    try {
      return compileGlob(source)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      const path = `${list}[${index}]`
      throw new Failure(error.code, `${path}: ${error.message}`, { ...error.details, path }, { cause: error })
    }
  })

function depthRule(maxDepth: number | undefined): Scope['allowsDepth'] {
  if (maxDepth === undefined) return () => accepted
  const tooDeep = refusedBy('scope.refused', `depth ${maxDepth}`)
  return depth => (depth <= maxDepth ? accepted : tooDeep)
}

function pathRule(include: Glob[], exclude: Glob[]): Scope['allowsPath'] {
  const notIncluded = refusedBy('scope.refused', `include ${include.map(glob => glob.source).join(' ')}`)
  return url => {
    const excluding = exclude.find(glob => glob.matches(url))
    if (excluding !== undefined) return refusedBy('scope.refused', `exclude ${excluding.source}`)
    return include.length === 0 || include.some(glob => glob.matches(url)) ? accepted : notIncluded
  }
}

/** Allowed hosts by name, with a port if given. The names in `trees` include their subdomains. */
interface Sites {
  hosts: Set<string>
  trees: Set<string>
}

function hostRule(spec: ScopeSpec): Scope['allowsHost'] {
  // `*` allows all hosts. Then only the page limit and the depth limit the job.
  if (spec.allowedDomains?.includes('*')) return () => accepted
  const sites: Sites = { hosts: new Set(), trees: new Set() }
  for (const url of namedUrls(spec)) addSeed(sites, url, spec.subdomains)
  for (const domain of spec.allowedDomains ?? []) addDomain(sites, domain, spec.subdomains)
  return host => (isInside(sites, host) ? accepted : refusedBy('scope.refused', `host ${host}`))
}

function* namedUrls(spec: ScopeSpec): Iterable<string> {
  yield* spec.seedUrls ?? []
  yield* spec.urls ?? []
  if (spec.sitemapUrl !== undefined) yield spec.sitemapUrl
}

/** Adds the site of a seed URL. Its port counts, so that two servers on one machine are two sites. */
function addSeed(sites: Sites, seed: string, subdomains: boolean): void {
  const url = URL.parse(seed)
  if (url === null) throw new Failure('input.invalid', `"${seed}" is not an absolute URL`, { url: seed })
  const name = url.hostname.replace(/\.$/, '')
  const port = url.port === '' ? ':' : `:${url.port}`
  sites.hosts.add(withoutWww(name) + port)
  if (subdomains) sites.trees.add(registrableDomain(name) + port)
}

/** The registrable domain of a name. Sites on a shared suffix (`*.github.io`) have different domains. An IP address is its own domain. */
/** Loads the list of public suffixes on first use, because most jobs do not need it, and it takes 4 ms. */
function registrableDomain(name: string): string {
  const { getDomain } = require('tldts') as typeof import('tldts')
  return getDomain(name, { allowPrivateDomains: true }) ?? name
}

const require = createRequire(import.meta.url)

function addDomain(sites: Sites, domain: string, subdomains: boolean): void {
  const isTree = domain.startsWith('*.')
  const url = URL.parse(`http://${isTree ? domain.slice(2) : domain}/`)
  if (url === null) throw notADomain(domain)
  // A domain without a port includes all ports. So does `:80`, because the URL parser removes the default port.
  const site = url.hostname.replace(/\.$/, '') + (url.port === '' ? '' : `:${url.port}`)
  if (isTree || subdomains) sites.trees.add(site)
  sites.hosts.add(withoutWww(site))
}

function notADomain(domain: string): Failure {
  const message = `"${domain}" is not a host name; write it like "example.com" or "*.example.com"`
  return new Failure('input.invalid', message, { domain })
}

const withoutWww = (host: string): string => (host.startsWith('www.') ? host.slice(4) : host)

function isInside(sites: Sites, host: string): boolean {
  const portAt = portStart(host)
  const name = host.slice(0, portAt)
  const port = host.slice(portAt) || ':'
  return (
    holds(sites.hosts, withoutWww(name), port) || (sites.trees.size > 0 && isUnder(sites.trees, name, port))
  )
}

const holds = (sites: Set<string>, name: string, port: string): boolean =>
  sites.has(name + port) || sites.has(name)

/** Whether a name or one of its parent domains is in `trees`: `a.b.example.com`, `b.example.com`, … */
function isUnder(trees: Set<string>, name: string, port: string): boolean {
  let rest = name
  while (!holds(trees, rest, port)) {
    const dot = rest.indexOf('.')
    if (dot < 0) return false
    rest = rest.slice(dot + 1)
  }
  return true
}

/** Position of the port (`:8080`) in a host, or its length if there is none. Colons of an IPv6 address are inside brackets. */
function portStart(host: string): number {
  const colon = host.lastIndexOf(':')
  return colon > host.lastIndexOf(']') ? colon : host.length
}
