// How long a slot is valid in a worker process. A request that is sent later would be too close to the next request.
import { defaultLookAheadMs } from '../../../dispatch/dispatcher.ts'

/** A request may always be late by this time, because timers are not more exact. */
const leastSlackMs = 5
/** A request may be late by this share of the delay between two requests. */
const slackShare = 0.05
/** The leader usually receives the report of a late request within this time. */
const toldWithinMs = 100

/** How late a request may be without being reported. `gapMs` is the delay between two requests. */
export const slackMs = (gapMs: number): number => Math.max(leastSlackMs, gapMs * slackShare)

/** How long a planned slot is valid, in ms. The leader plans the next slot `defaultLookAheadMs` before that slot
 *  starts. A late request must be reported by then, so this slot expires earlier, but not before `slackMs`. `paceMs` is
 *  the average delay between requests. If it is longer than `gapMs`, bursts are allowed, and the slot is valid for
 *  `paceMs`. */
export const startGoodForMs = (gapMs: number, paceMs: number): number =>
  gapMs < paceMs ? paceMs : Math.max(slackMs(gapMs), gapMs - defaultLookAheadMs - toldWithinMs)

/** A permit usually reaches the worker within this time. If it arrives too late, the next permit is valid for
 *  longer. */
const leastPermitMs = 20
const longerEachTime = 4
/** The longest validity of a permit. It is limited, because the host gets no other requests while a permit is valid. */
const mostPermitMs = 5_000

/** How long a permit is valid. `lapsed` is the number of permits for the same request that arrived too late. */
export const permitGoodForMs = (gapMs: number, lapsed: number): number =>
  Math.min(mostPermitMs, Math.max(leastPermitMs, gapMs * slackShare) * longerEachTime ** lapsed)
