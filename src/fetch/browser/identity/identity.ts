// Makes the identity of a browser session: plain, which names us, or stealth.
import { seededRandom } from '../../../lib/seeded-random.ts'
import type { BrowserKind, Identity, Rendering } from '../../../model/policy/rendering.ts'
import { plainIdentity } from './identity-plain.ts'
import { type DesktopSystem, openProfiles, type SampleDesktop } from './identity-profiles.ts'
import { type StealthParts, stealthIdentity } from './identity-stealth.ts'
import { ownSystem } from './identity-systems.ts'

interface IdentityOptions {
  kind: BrowserKind
  /** For example `156.0.8078.79`. */
  browserVersion: string
  mobile: Rendering['mobile']
  /** Our user agent. Only plain browsers send it. */
  userAgent: string
  /** Country of the stealth proxy. Null (the default) means the location of this machine. */
  region?: string | null
  /** The operating system that a stealth identity claims. By default the real one, because fonts and graphics match it. */
  system?: DesktopSystem
  /** The previous stealth identity. The new one differs from it in a property that a website can see. */
  previous?: Identity | null
}

/** The golden ratio. Its multiples modulo 1 never repeat. They are added to the random numbers if a new identity equals
 *  the previous one. */
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
  /** Our user agent with a contact address. */
  userAgent: string
  system?: DesktopSystem
  random?: () => number
  /** Called for the first stealth identity. */
  loadProfiles?: () => Promise<SampleDesktop>
}

/** Returns the function that makes identities. A session gets the same identity in every process. Without a session,
 *  each call makes a new identity. Two consecutive stealth identities differ, unless they are of the same session. */
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
  /** Version of the browser, such as `156.0.8078.79`. */
  version: string
  /** The job's own user agent, if it sets one. */
  userAgent?: string
  region?: string | null
}
