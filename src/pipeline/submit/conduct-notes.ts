// Lists the consents that a job needs: its options beyond the polite defaults. Used to check the key's scopes and for the conduct
// receipt.
import { browserNameIn, isBrowserHint, isBrowserName } from '../../model/browser-name.ts'
import type { ConductNote, GrantableConsent } from '../../model/conduct.ts'
import { isCredentialHeader } from '../../model/credential-header.ts'
import type { GivenSpec, JobSpec } from '../../model/job.ts'
import { namesSecret } from '../../model/page/templates.ts'
import { isLessStrict, type PiiMode } from '../../model/personal-data.ts'
import type { PolicyInput } from '../../model/policy/policy.ts'

export interface AskedConsent {
  what: GrantableConsent
  /** A description for the conduct receipt. */
  value: string
  /** The path in the job spec. */
  path: string
}

type AskingSpec = Pick<
  GivenSpec | JobSpec,
  'policy' | 'browser' | 'userAgent' | 'headers' | 'session' | 'actions' | 'pii'
> &
  Partial<Pick<GivenSpec, 'items'>>

/** The consents that a spec needs. `providers` are the providers whose credentials the scraper uses. `usual` is the operator's
 *  default for personal data. */
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

/** A consent is needed only if the job protects personal data less than the operator's default. */
function personalData(pii: PiiMode = 'drop', usual: PiiMode): AskedConsent[] {
  const done = pii === 'keep' ? 'kept' : 'masked, not dropped'
  return when(
    isLessStrict(pii, usual),
    'personal_data',
    `personal data such as e-mail addresses is ${done}`,
    'pii',
  )
}

const when = (isAsked: boolean, what: GrantableConsent, value: string, path: string): AskedConsent[] =>
  isAsked ? [{ what, value, path }] : []

/** Headers that pretend to be a browser. */
function browserHeaders({ userAgent, headers, policy }: AskingSpec): AskedConsent[] {
  const asked = identity(policy, 'policy').filter(({ path }) => path === 'policy.identity.headers')
  if (asked.length > 0) return asked
  const sent = Object.entries(headers)
  const named = browserNameIn(sent)
  const hints = Object.keys(headers).find(isBrowserHint)
  return [
    ...when(isBrowserName(userAgent), 'browser_headers', `user agent ${userAgent}`, 'user_agent'),
    ...when(named !== undefined, 'browser_headers', `user agent ${named}`, 'headers.user-agent'),
    ...when(hints !== undefined, 'browser_headers', `header ${hints}`, `headers.${hints}`),
  ].slice(0, 1)
}

/** The identity and proxy policy of a job, a domain or one item. */
type Saying = Pick<PolicyInput, 'identity' | 'proxy'>

function identity({ identity: { headers, tls, browser } = {} }: Saying, at: string): AskedConsent[] {
  const path = (name: string) => `${at}.identity.${name}`
  return [
    ...when(headers === 'browser', 'browser_headers', 'headers of a browser', path('headers')),
    ...when(tls === 'browser', 'browser_headers', 'TLS handshake of a browser', path('tls')),
    ...when(browser === 'stealth', 'stealth', 'stealth browser', path('browser')),
  ]
}

/** The consents that the policy of one task needs. `at` is the path of the policy in the spec. */
export const consentsOfTask = (policy: Saying, at: string): AskedConsent[] => [
  ...identity(policy, at),
  ...proxies(policy, at),
]

/** The consents that the items need. Each is listed once, with the path of the first item that needs it. */
function items({ items = [] }: AskingSpec): AskedConsent[] {
  const found = new Map<string, AskedConsent>()
  for (const [index, { policy }] of items.entries())
    for (const asked of policy ? consentsOfTask(policy, `items[${index}].policy`) : [])
      if (!found.has(`${asked.what} ${asked.value}`)) found.set(`${asked.what} ${asked.value}`, asked)
  return [...found.values()].slice(0, mostOfItems)
}

const mostOfItems = 100

/** Proxies need a consent if the job brings them or if they cost money. Their addresses are listed without credentials. */
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

/** Credentials that the job uses. Lists only their names, never their values. */
function credentials(spec: AskingSpec, providers: readonly string[]): AskedConsent[] {
  const { headers, session } = spec
  const header = Object.keys(headers).find(isCredentialHeader)
  return [
    ...when(header !== undefined, 'credentials', `header ${header}`, `headers.${header}`),
    ...when(session !== undefined, 'credentials', `session ${session}`, 'session'),
    ...when(usesSecrets(spec), 'credentials', 'secrets in actions', 'actions'),
    ...providers.flatMap(provider =>
      when(true, 'credentials', `of the provider ${provider}, for the scraper`, 'scraper_id'),
    ),
  ]
}

export const usesSecrets = ({ actions }: Pick<AskingSpec, 'actions'>): boolean =>
  actions !== undefined && namesSecret(actions)

/** The conduct notes of a job from the command line. Its caller may give every consent. */
export const conductNotes = (
  spec: AskingSpec,
  providers: readonly string[],
  usual: PiiMode,
  at: number,
): ConductNote[] =>
  askedConsents(spec, providers, usual).map(({ what, value }) => ({ what, value, who: 'cli', at }))
