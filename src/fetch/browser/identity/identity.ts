// The identity of a browser session: our own, or one of many.
import { seededRandom } from '../../../lib/seeded-chance.ts'
import type { BrowserKind, Identity, Rendering } from '../../../model/policy/rendering.ts'
import { plainIdentity } from './identity-plain.ts'
import { type DesktopSystem, openProfiles, type SampleDesktop } from './identity-profiles.ts'
import { type StealthParts, stealthIdentity } from './identity-stealth.ts'
import { ownSystem } from './identity-systems.ts'

export interface IdentityOptions {
  kind: BrowserKind
  /** `156.0.8078.79` */
  browserVersion: string
  mobile: Rendering['mobile']
  /** Our user agent, for plain browsers. */
  userAgent: string
  /** Country of the stealth proxy; `null`, the default, is the location of this machine. */
  region?: string | null
  /** The claimed system of stealth; by default the real one, which matches fonts and graphics. */
  system?: DesktopSystem
  /** Stealth differs from this one in something that a website can see. */
  previous?: Identity | null
}

/** Offsets that never repeat: they change a sample that equals the previous one. */
const goldenShare = 0.618_033_988
const maxTries = 100

export function newIdentity(options: IdentityOptions, parts: StealthParts): Identity {
  const { kind, region = null, system = ownSystem(), previous = null } = options
  if (kind === 'plain') return plainIdentity(options)
  let identity = stealthIdentity({ ...options, region, system }, parts)
  for (let attempt = 1; attempt < maxTries && looksLike(identity, previous); attempt++) {
    const random = () => (parts.random() + attempt * goldenShare) % 1
    identity = stealthIdentity({ ...options, region, system }, { ...parts, random })
  }
  return identity
}

function looksLike(identity: Identity, other: Identity | null): boolean {
  const visible = (each: Identity) => JSON.stringify({ ...each, id: '' })
  return other !== null && visible(identity) === visible(other)
}

interface IdentityMakerOptions {
  /** Our user agent with a contact. */
  userAgent: string
  system?: DesktopSystem
  random?: () => number
  /** Loaded with the first stealth identity. */
  loadProfiles?: () => Promise<SampleDesktop>
}

/** A session has the same identity everywhere and at any time. Without a session, every call gives a new one. Two
 *  consecutive stealth identities always differ. */
export function identityMaker(options: IdentityMakerOptions) {
  const { random = Math.random, loadProfiles = openProfiles, ...own } = options
  let profiles: Promise<SampleDesktop> | null = null
  let last: { session: string | undefined; identity: Identity } | null = null
  return async (given: SessionRequest): Promise<Identity> => {
    const { browser: kind, version: browserVersion, session, ...request } = given
    const asked = { ...own, ...request, kind, browserVersion }
    if (kind === 'plain') return plainIdentity(asked)
    profiles ??= loadProfiles()
    const sampleDesktop = await profiles
    const chance = session === undefined ? random : seededRandom(session)
    const isSame = session !== undefined && session === last?.session
    const previous = isSame ? null : (last?.identity ?? null)
    const identity = newIdentity({ ...asked, previous }, { sampleDesktop, random: chance })
    last = { session, identity }
    return identity
  }
}

/** The session whose identity the pool requests. */
export interface SessionRequest {
  session?: string
  browser: BrowserKind
  mobile: Rendering['mobile']
  /** Of the browser: `156.0.8078.79` */
  version: string
  /** The user agent of the job, if it has its own. */
  userAgent?: string
  region?: string | null
}
