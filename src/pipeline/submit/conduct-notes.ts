// Lists what a job asks for beyond the polite defaults, for the check of consents and for the conduct receipt.
import type { ConductNote, GrantableConsent } from '../../model/conduct.ts'
import type { GivenSpec, JobSpec } from '../../model/job.ts'
import { isLessStrict, type PiiMode } from '../../model/personal-data.ts'
import type { PolicyInput } from '../../model/policy/policy.ts'

export interface AskedConsent {
  what: GrantableConsent
  /** In words, for the receipt. */
  value: string
  /** The path in the job spec. */
  path: string
}

type AskingSpec = Pick<
  GivenSpec | JobSpec,
  'policy' | 'browser' | 'userAgent' | 'headers' | 'session' | 'actions' | 'pii'
> &
  Partial<Pick<GivenSpec, 'items'>>

/** `providers`: whose credentials the job's scraper uses. `usual`: the operator's default for personal data. */
export function askedConsents(
  spec: AskingSpec,
  providers: readonly string[] = [],
  usual: PiiMode = 'keep',
): AskedConsent[] {
  const { policy, browser, pii } = spec
  return [
    ...when(policy.robots === 'ignore', 'ignore_robots', 'robots.txt is ignored', 'policy.robots'),
    ...when(browser === 'stealth', 'stealth', 'stealth browser', 'browser'),
    ...browserHeaders(spec),
    ...identity(policy, 'policy').filter(({ path }) => path !== 'policy.identity.headers'),
    ...proxies(policy, 'policy'),
    ...items(spec),
    ...credentials(spec, providers),
    ...personalData(pii, usual),
  ]
}

/** Only for less protection than usual. */
function personalData(pii: PiiMode = 'drop', usual: PiiMode): AskedConsent[] {
  const done = pii === 'keep' ? 'kept' : 'masked, not dropped'
  return when(isLessStrict(pii, usual), 'personal_data', `e-mail addresses and the like are ${done}`, 'pii')
}

const when = (isAsked: boolean, what: GrantableConsent, value: string, path: string): AskedConsent[] =>
  isAsked ? [{ what, value, path }] : []

/** Headers that pretend to be a browser. A name of its own, or one with "compatible", is honest. */
function browserHeaders({ userAgent, headers, policy }: AskingSpec): AskedConsent[] {
  const asked = identity(policy, 'policy').filter(({ path }) => path === 'policy.identity.headers')
  if (asked.length > 0) return asked
  const sent = Object.entries(headers)
  const named = sent.find(([name]) => name.toLowerCase() === 'user-agent')?.[1]
  const hints = sent.find(([name]) => /^sec-(ch|fetch)-/i.test(name))?.[0]
  return [
    ...when(isBrowserName(userAgent), 'browser_headers', `user agent ${userAgent}`, 'user_agent'),
    ...when(isBrowserName(named), 'browser_headers', `user agent ${named}`, 'headers.user-agent'),
    ...when(hints !== undefined, 'browser_headers', `header ${hints}`, `headers.${hints}`),
  ].slice(0, 1)
}

/** Of a job, a domain or one item. */
type Saying = Pick<PolicyInput, 'identity' | 'proxy'>

function identity({ identity: { headers, tls, browser } = {} }: Saying, at: string): AskedConsent[] {
  const path = (name: string) => `${at}.identity.${name}`
  return [
    ...when(headers === 'browser', 'browser_headers', 'headers of a browser', path('headers')),
    ...when(tls === 'browser', 'browser_headers', 'TLS handshake of a browser', path('tls')),
    ...when(browser === 'stealth', 'stealth', 'stealth browser', path('browser')),
  ]
}

/** Consents that the policy of one task can ask for. */
export const consentsOfTask = (policy: Saying, at: string): AskedConsent[] => [
  ...identity(policy, at),
  ...proxies(policy, at),
]

/** Each consent once, at the first item that asks for it. */
function items({ items = [] }: AskingSpec): AskedConsent[] {
  const found = new Map<string, AskedConsent>()
  for (const [index, { policy }] of items.entries())
    for (const asked of policy ? consentsOfTask(policy, `items[${index}].policy`) : [])
      if (!found.has(`${asked.what} ${asked.value}`)) found.set(`${asked.what} ${asked.value}`, asked)
  return [...found.values()].slice(0, mostOfItems)
}

const mostOfItems = 100

/** Only proxies that the job brings or that cost money: the operator has decided on the others. Lists addresses without
 *  credentials. */
function proxies({ proxy = {} }: Saying, at: string): AskedConsent[] {
  const { urls, provider, type, country } = proxy
  const places = urls?.map(url => url.replace(/^([a-z0-9]+:\/\/).*@/i, '$1')) ?? []
  const shown =
    places.length > 3 ? `${places.slice(0, 3).join(', ')} and ${places.length - 3} more` : places.join(', ')
  const ofProvider = [provider ?? 'the provider', type, country].filter(Boolean).join(' ')
  return [
    ...when(places.length > 0, 'proxies', shown, `${at}.proxy.urls`),
    ...when(provider !== undefined || type !== undefined, 'proxies', ofProvider, `${at}.proxy.type`),
  ]
}

const isBrowserName = (userAgent: string | undefined): boolean =>
  userAgent !== undefined && /^mozilla\/\d/i.test(userAgent) && !/compatible;|\+https?:/i.test(userAgent)

/** Only names of credentials, never their values. */
function credentials(spec: AskingSpec, providers: readonly string[]): AskedConsent[] {
  const { headers, session } = spec
  const header = Object.keys(headers).find(name => credentialHeader.test(name))
  return [
    ...when(header !== undefined, 'credentials', `header ${header}`, `headers.${header}`),
    ...when(session !== undefined, 'credentials', `session ${session}`, 'session'),
    ...when(usesSecrets(spec), 'credentials', 'secrets in actions', 'actions'),
    ...providers.flatMap(provider =>
      when(true, 'credentials', `of the provider ${provider}, for the scraper`, 'scraper_id'),
    ),
  ]
}

const credentialHeader = /authorization|cookie|token|secret|api-?key|passw|session|credential|-auth\b/i

export const usesSecrets = ({ actions }: Pick<AskingSpec, 'actions'>): boolean =>
  actions !== undefined && JSON.stringify(actions).includes('{{secret.')

/** For jobs from the command line, whose caller may give every consent. */
export const conductNotes = (
  spec: AskingSpec,
  providers: readonly string[],
  usual: PiiMode,
  at: number,
): ConductNote[] =>
  askedConsents(spec, providers, usual).map(({ what, value }) => ({ what, value, who: 'cli', at }))
