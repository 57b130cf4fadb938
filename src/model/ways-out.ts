// What whoever runs a job can do about a failure, where there is something to do.
import type { FailureCode } from './failures.ts'
import type { Reason } from './task.ts'

const waysOut: Partial<Record<FailureCode, string>> = {
  'robots.disallowed': '--ignore-robots fetches it all the same, and that is recorded',
  'host.throttled': 'ask less often with --rate, and try again later',
  'blocked.captcha':
    'captchas are not solved: ask less often with --rate, come with a session of your own (kscrape login NAME URL, then --session NAME), or ask the site for its data',
  'blocked.login':
    'log in once with kscrape login NAME URL and run with --session NAME, or hand over cookies with --cookies FILE; what answers 401 takes --header "Authorization: …"',
  'blocked.consent': 'answer it once with kscrape login NAME URL and run with --session NAME',
  'blocked.refused':
    'the site does not want this visitor: say who you are with --contact, ask less often with --rate, or ask its owner',
  'browser.missing': 'kscrape doctor says which browser there is and how to get one',
}

/** Null where nothing but the page itself could be changed. */
export const wayOut = (reason: Reason | null): string | null =>
  reason !== null && reason in waysOut ? waysOut[reason as FailureCode]! : null

/** How a job is paused whose tasks mostly ended at walls. */
export const wasteReason = 'waste.blocked'

/** What can be done about walls, for whoever reads that a job was stopped by them. */
export const wayOutOfWaste =
  'look at the pages with `kscrape jobs show`, come with a session of your own (kscrape login), ask less often, or leave these pages out'
