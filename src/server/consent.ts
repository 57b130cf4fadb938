// Consent: what a job asks for beyond the polite defaults takes a key with the right to it, and is noted with who asked and when.
import { type Caller, defaultWorkspace, mayConsent, mayDo } from '../model/access.ts'
import type { ConductNote, GrantableConsent } from '../model/conduct.ts'
import { Failure } from '../model/failures.ts'
import type { Face, GivenSpec } from '../model/job.ts'
import { type PiiMode, parsePiiDefaults, usualPii } from '../model/personal-data.ts'
import type { Rate } from '../model/policy/policy.ts'
import { type AskedConsent, askedConsents, usesSecrets } from '../pipeline/submit/conduct-notes.ts'
import type { Server } from './parts.ts'

/** What becomes of personal data where a job of the caller does not say. */
export const usualPiiOf = ({ settings }: Pick<Server, 'settings'>, { workspace }: Caller): PiiMode =>
  usualPii(parsePiiDefaults(settings.pii), workspace)

/** The lines that a job begins its conduct receipt with. Throws `request.forbidden` for what the key has no right to. */
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

/** What the operator switched on for all jobs of an API (SCRAPER_SCRAPE_IDENTITY). */
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

/** Whether the caller's jobs may, for faces that do without rather than refuse. */
export const isGranted = (
  { settings }: Pick<Server, 'settings'>,
  { scopes }: Pick<Caller, 'scopes'>,
  what: GrantableConsent,
): boolean => mayDo(scopes, 'admin') || (settings.consents.includes(what) && mayConsent(scopes, what))

/** For what only a face knows of: proxies of a request, say. `path` is the field that asks for it. */
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
      `${path}: the operator lets nobody switch on ${what} here (SCRAPER_CONSENTS), except with an admin key`,
      { path, needs: what },
    )
  throw new Failure(
    'request.forbidden',
    `${path}: this takes a key with the scope "${what}"; yours has ${scopes.join(', ')}`,
    { path, needs: what },
  )
}

/** Secrets of this machine are the operator's; another workspace would send them wherever it likes. */
function refuseOthersSecrets({ workspace }: Caller, spec: GivenSpec): void {
  if (workspace === defaultWorkspace || !usesSecrets(spec)) return
  throw new Failure(
    'request.forbidden',
    `actions: {{secret.…}} are secrets of this machine, for the workspace "${defaultWorkspace}" alone; yours is "${workspace}"`,
    { path: 'actions' },
  )
}

/** Faster than the operator lets a job be. */
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
    `${path}: ${asked} is more than ${most}, the most a job may ask one host for here; an admin key may ask for more, and SCRAPER_MAX_RATE says what the others may`,
    { path, needs: 'admin' },
  )

const perSecond = (rate: Rate): number => (rate === 'unlimited' ? Number.POSITIVE_INFINITY : rate)
const rateText = (rate: Rate): string => (rate === 'unlimited' ? rate : `${rate}/s`)
