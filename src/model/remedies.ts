// Remedies: what the owner of a job can do about a failure.
import type { FailureCode } from './failures.ts'
import type { Reason } from './task.ts'

const remedies: Partial<Record<FailureCode, string>> = {
  'robots.disallowed': '--ignore-robots fetches the page anyway; the conduct receipt of the job records it',
  'host.throttled': 'lower the rate with --rate, and retry later',
  'blocked.captcha':
    'captchas are not solved: lower the rate with --rate, use your own session (kscrape login NAME URL, then --session NAME), or ask the site for its data',
  'blocked.login':
    'log in once with kscrape login NAME URL and run with --session NAME, or pass cookies with --cookies FILE; for a 401 use --header "Authorization: …"',
  'blocked.consent': 'answer the consent page once with kscrape login NAME URL and run with --session NAME',
  'blocked.refused':
    'the site refuses these requests: identify yourself with --contact, lower the rate with --rate, or ask its owner',
  'browser.missing': 'run kscrape doctor: it checks for a browser and says how to install one',
}

/** The remedy for the reason of a task. Null if there is none. */
export const remedyOf = (reason: Reason | null): string | null =>
  reason !== null && reason in remedies ? remedies[reason as FailureCode]! : null

/** The reason of a job that the waste guard paused. */
export const wasteReason = 'waste.blocked'

/** The remedy for walls, for the notice that a job was paused. */
export const wasteRemedy =
  'check the pages with `kscrape jobs show`, use your own session (kscrape login), lower the rate, or exclude these pages'
