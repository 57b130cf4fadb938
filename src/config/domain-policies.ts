// Policies of hosts by domain, from domain_policies.yaml: parsing, writing and lookup.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Document, LineCounter } from 'yaml'
import { problemsOf } from '../lib/text/problems.ts'
import { didYouMean, suggest } from '../lib/text/suggest.ts'
import { yaml } from '../lib/text/yaml.ts'
import { asFailure, Failure } from '../model/failures.ts'
import { isObject } from '../model/json.ts'
import { type HostPolicy, hostPolicy } from '../model/policy/policy.ts'
import { anyTime, type Fields, policyFields, writeFields, writtenPath } from './domain-policy-fields.ts'

/** Values that a job may change, unless the entry of the domain sets them. */
const overridable = ['rate', 'burst', 'concurrency'] as const

/** A policy with the names of the values that the domain's entry sets. For these values, a job may only be stricter. */
type DomainPolicy = HostPolicy & { fixed: Array<(typeof overridable)[number]> }

export interface DomainPolicies {
  default: HostPolicy
  /** Policies by host name. An entry also applies to subdomains. */
  domains: Map<string, DomainPolicy>
}

/** The policies of a file, or the built-in policies. */
export function loadDomainPolicies(path?: string): DomainPolicies {
  if (path !== undefined) return parseDomainPolicies(textOf(path), path)
  const builtIn = join(import.meta.dirname, 'domain_policies.yaml')
  // The package also contains the built-in file as JSON, so that a command need not load the YAML parser.
  if (import.meta.url.endsWith('.ts')) return parseDomainPolicies(textOf(builtIn), builtIn)
  const values: unknown = JSON.parse(textOf(builtIn.replace(/yaml$/, 'json')))
  return readPolicies({ filename: builtIn, values, lineOf: () => 1 })
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new Failure('input.invalid', `SCRAPER_DOMAIN_POLICIES ${path} cannot be read`, { path }, { cause })
  }
}

/** Parses the policies. Throws `input.invalid` with file, line and remedy. Values that an entry lacks come from `default`. */
export function parseDomainPolicies(yamlText: string, filename: string): DomainPolicies {
  return readPolicies(openSource(yamlText, filename))
}

function readPolicies(source: Source): DomainPolicies {
  const { default: ofDefault = {}, ...ofDomains } = entriesOf(source)
  const inDefault = readEntry(source, 'default', ofDefault)
  const policies: DomainPolicies = {
    default: checked(source, 'default', { ...inDefault, hours: hoursOf(inDefault) }),
    domains: new Map(),
  }
  for (const [name, entry] of Object.entries(ofDomains)) {
    const domain = domainName(source, name)
    if (policies.domains.has(domain)) throw invalid(source, source.lineOf([name]), `${domain} is named twice`)
    const own = readEntry(source, name, entry)
    const policy = checked(source, name, over(policies.default, own))
    policies.domains.set(domain, { ...policy, fixed: overridable.filter(key => key in own) })
  }
  return policies
}

/** The policies as YAML. Parsing this YAML gives equal policies. A domain lists only values that are fixed or differ from the
 *  default. */
export function serializeDomainPolicies(policies: DomainPolicies): string {
  const written: Record<string, unknown> = { default: writeFields(policies.default) }
  for (const [domain, policy] of policies.domains)
    written[domain] = writeFields(ownPart(policies.default, policy))
  return yaml().stringify(written)
}

/** The policy of the longest matching domain. `host` has the form of `URL.host`. */
export function policyForHost(policies: DomainPolicies, host: string): HostPolicy | DomainPolicy {
  if (policies.domains.size === 0) return policies.default
  const withPort = policies.domains.get(host)
  if (withPort) return withPort
  let name = host.replace(/:\d+$/, '')
  for (;;) {
    const policy = policies.domains.get(name)
    if (policy) return policy
    const dot = name.indexOf('.')
    if (dot < 0) return policies.default
    name = name.slice(dot + 1)
  }
}

interface Source {
  filename: string
  values: unknown
  /** The line number of a key, or of its nearest parent. */
  lineOf(path: string[]): number
}

type Values = Record<string, unknown>

function openSource(text: string, filename: string): Source {
  const { LineCounter, parseDocument } = yaml()
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const error = document.errors[0]
  if (error) throw invalid({ filename }, lines.linePos(error.pos[0]).line, `not valid YAML: ${error.message}`)
  return { filename, values: document.toJS(), lineOf: path => lineIn(document, lines, path) }
}

function entriesOf(source: Source): Values {
  const value = source.values ?? {}
  if (isObject(value)) return value
  throw invalid(source, 1, 'a map of "default" and domains is expected, like "example.com: { rate: 2/s }"')
}

function readEntry(source: Source, name: string, entry: unknown): Values {
  if (entry === null || entry === undefined) return {}
  if (isObject(entry)) return readFields(source, [name], entry, policyFields)
  throw invalid(source, source.lineOf([name]), `${name}: a map is expected, like "${name}: { rate: 2/s }"`)
}

function readFields(source: Source, path: string[], values: Values, fields: Fields): Values {
  const inside: Values = {}
  for (const [key, value] of Object.entries(values)) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined
    if (!field) throw unknownKey(source, [...path, key], Object.keys(fields))
    inside[field.inside] =
      field.fields && isObject(value)
        ? readFields(source, [...path, key], value, field.fields)
        : readValue(source, [...path, key], () => field.read(value))
  }
  return inside
}

function readValue(source: Source, path: string[], read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    throw invalid(source, source.lineOf(path), `${path.join(' › ')}: ${asFailure(error).message}`)
  }
}

function unknownKey(source: Source, path: string[], known: string[]): Failure {
  const hint = didYouMean(path.at(-1)!, known) || `; known keys: ${known.join(', ')}`
  return invalid(source, source.lineOf(path), `${path.join(' › ')} is unknown${hint}`)
}

function checked(source: Source, name: string, values: Values): HostPolicy {
  const parsed = hostPolicy.safeParse(values)
  if (parsed.success) return parsed.data
  const path = [name, ...writtenPath(parsed.error.issues[0]!.path)]
  const { message } = problemsOf(parsed.error)[0]!
  throw invalid(source, source.lineOf(path), `${path.join(' › ')}: ${message}`)
}

const parts = [
  ...(['actionDelayMs', 'slowdown', 'breaker', 'timeouts', 'retries', 'blocks'] as const),
  ...(['browser', 'proxy', 'identity'] as const),
]

/** Applies an entry to the default: maps are merged key by key, but the list of hours is replaced. */
function over(base: HostPolicy, own: Values): Values {
  const merged: Values = { ...base, ...own }
  for (const key of parts) {
    if (isObject(own[key])) merged[key] = { ...base[key], ...own[key] }
  }
  return { ...merged, hours: hoursOf(merged) }
}

const hoursOf = ({ hours }: Values): unknown => (hours === anyTime ? undefined : hours)

/** The values that the entry of a domain must contain, because they are fixed or differ from `base`. The inverse of `over`. */
function ownPart(base: HostPolicy, policy: DomainPolicy): Values {
  const { fixed, ...values } = policy
  const differing = Object.entries(values).filter(
    ([key, value]) =>
      fixed.some(name => name === key) || !isDeepStrictEqual(value, base[key as keyof HostPolicy]),
  )
  const lifted = base.hours && !policy.hours ? { hours: anyTime } : {}
  return { ...Object.fromEntries(differing), ...lifted }
}

/** The name in the form of `URL.host`. A leading `*.` is removed, because an entry applies to subdomains anyway. */
function domainName(source: Source, name: string): string {
  const line = source.lineOf([name])
  if (suggest(name, ['default']))
    throw invalid(source, line, `"${name}" is not a domain${didYouMean(name, ['default'])}`)
  const host = /^(\*\.)?[^\s/:@?#]+(:\d{1,5})?$/.test(name)
    ? URL.parse(`http://${name.replace(/^\*\./, '')}/`)?.host
    : ''
  if (host) return host
  throw invalid(source, line, `"${name}" is not a domain; write it like example.com`)
}

function lineIn(document: Document, lines: LineCounter, path: string[]): number {
  const { isMap, isScalar } = yaml()
  for (let length = path.length; length > 0; length -= 1) {
    const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true)
    const pair = isMap(parent)
      ? parent.items.find(({ key }) => isScalar(key) && String(key.value) === path[length - 1])
      : undefined
    if (isScalar(pair?.key) && pair.key.range) return lines.linePos(pair.key.range[0]).line
  }
  return 1
}

const invalid = ({ filename }: Pick<Source, 'filename'>, line: number, text: string): Failure =>
  new Failure('input.invalid', `${filename}:${line}: ${text}`, { file: filename, line })
