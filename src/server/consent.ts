// Consent: what a job asks for beyond the polite defaults, noted with who asked and when.
import type { Caller } from '../model/access.ts'
import type { ConductNote, Consent } from '../model/conduct.ts'
import type { GivenSpec } from '../model/job.ts'

/** The lines that a job begins its conduct receipt with. */
export function consentNotes(spec: GivenSpec, caller: Caller, now: number): ConductNote[] {
  return askedFor(spec).map(([what, value]) => ({ what, value, who: caller.keyId, at: now }))
}

function askedFor(spec: GivenSpec): Array<[Consent, string]> {
  const { robots, host } = spec.policy
  return [
    ...(robots === 'ignore' ? [['ignore_robots', 'robots.txt is not asked'] as [Consent, string]] : []),
    ...(spec.browser === 'stealth' ? [['stealth', 'stealth browser'] as [Consent, string]] : []),
    ...(host?.rate === undefined ? [] : [['rate', String(host.rate)] as [Consent, string]]),
  ]
}
