// Consent: a job that exceeds the polite defaults needs a key with the right scope. The job records the key and the time.
import { type Caller, defaultWorkspace, mayConsent, mayDo } from '../model/access.ts'
import type { ConductNote, GrantableConsent } from '../model/conduct.ts'
import { Failure } from '../model/failures.ts'
import type { Face, GivenSpec } from '../model/job.ts'
import { type PiiMode, parsePiiDefaults, usualPii } from '../model/personal-data.ts'
import type { Rate } from '../model/policy/policy.ts'
import { type AskedConsent, askedConsents, usesSecrets } from '../pipeline/submit/conduct-notes.ts'
import type { Server } from './parts.ts'

/** Default handling of personal data for the caller's jobs. */
export const usualPiiOf = ({ settings }: Pick<Server, 'settings'>, { workspace }: Caller): PiiMode =>
  usualPii(parsePiiDefaults(settings.pii), workspace)

/** The first lines of a job's conduct receipt. Throws `request.forbidden` if the key lacks a scope. */
export function consentNotes(
  server: Server,
  caller: Caller,
  spec: GivenSpec,
  face: Face = 'jobs',
): ConductNote[] {
  const providers = server.parts.scrapers.credentialsOf(spec.scraperId)
  const asked = askedConsents(spec, providers, usualPiiOf(server, caller))
  const given = givenToApi(server.settings, face)
  for (const { what, path } of asked)
    if (!given.some(consent => consent.what === what)) refuseUnlessGranted(server, caller, what, path)
  refuseOthersSecrets(caller, spec)
  refuseHaste(server, caller, spec)
  const at = server.parts.clock.now()
  const note = ({
    what,
    value,
  }: Pick<AskedConsent, 'value'> & { what: ConductNote['what'] }): ConductNote => ({
    ...{ what, value, at },
    who: caller.keyId,
  })
  const { rate } = spec.policy.host ?? {}
  const own = [...asked, ...(rate === undefined ? [] : [{ what: 'rate' as const, value: rateText(rate) }])]
  return [...given.map(consent => ({ ...consent, who: 'operator', at })), ...own.map(note)]
}

/** Consents that the operator gave to all jobs of an API (SCRAPER_SCRAPE_IDENTITY). */
const givenToApi = (
  { scrapeIdentity }: Pick<Server['settings'], 'scrapeIdentity'>,
  face: Face,
): Array<Pick<ConductNote, 'value'> & { what: GrantableConsent }> =>
  scrapeIdentity === 'browser' && (face === 'scrape' || face === 'fetch')
    ? [
        { what: 'browser_headers', value: 'headers and TLS handshake of a browser' },
        { what: 'stealth', value: 'stealth browser' },
      ]
    : []

/** Whether the caller's jobs may use a consent. Used by APIs that work without the consent if it is not granted. */
export const isGranted = (
  { settings }: Pick<Server, 'settings'>,
  { scopes }: Pick<Caller, 'scopes'>,
  what: GrantableConsent,
): boolean => mayDo(scopes, 'admin') || (settings.consents.includes(what) && mayConsent(scopes, what))

/** Throws if a consent is not granted. Used for consents that the job spec does not show, such as proxies in a request.
 *  `path` is the field that needs the consent. */
export function refuseUnlessGranted(
  { settings }: Pick<Server, 'settings'>,
  { scopes }: Caller,
  what: GrantableConsent,
  path: string,
): void {
  if (isGranted({ settings }, { scopes }, what)) return
  if (!settings.consents.includes(what))
    throw new Failure(
      'request.forbidden',
      `${path}: only an admin key may switch on ${what} (SCRAPER_CONSENTS)`,
      { path, needs: what },
    )
  throw new Failure(
    'request.forbidden',
    `${path}: this needs a key with the scope "${what}"; yours has ${scopes.join(', ')}`,
    { path, needs: what },
  )
}

/** Refuses jobs of other workspaces that use secrets of this machine, because they could send the operator's secrets to any
 *  site. */
function refuseOthersSecrets({ workspace }: Caller, spec: GivenSpec): void {
  if (workspace === defaultWorkspace || !usesSecrets(spec)) return
  throw new Failure(
    'request.forbidden',
    `actions: {{secret.…}} are secrets of this machine, for the workspace "${defaultWorkspace}" alone; yours is "${workspace}"`,
    { path: 'actions' },
  )
}

/** Refuses a rate above the operator's limit. */
function refuseHaste({ parts, settings }: Server, { scopes }: Caller, { policy }: GivenSpec): void {
  if (mayDo(scopes, 'admin')) return
  const usual = parts.hosts.usualPace
  const most = settings.maxRate ?? usual.rate
  const { rate, burst } = policy.host ?? {}
  if (rate !== undefined && perSecond(rate) > perSecond(most))
    throw tooFast('policy.host.rate', rateText(rate), rateText(most))
  if (burst !== undefined && burst > usual.burst)
    throw tooFast('policy.host.burst', String(burst), String(usual.burst))
}

const tooFast = (path: string, asked: string, most: string): Failure =>
  new Failure(
    'request.forbidden',
    `${path}: ${asked} is above ${most}, the highest rate per host (SCRAPER_MAX_RATE); an admin key may exceed it`,
    { path, needs: 'admin' },
  )

const perSecond = (rate: Rate): number => (rate === 'unlimited' ? Number.POSITIVE_INFINITY : rate)
const rateText = (rate: Rate): string => (rate === 'unlimited' ? rate : `${rate}/s`)
