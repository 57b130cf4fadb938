// How long a slot is valid in another process. A request that is sent later would come too close to the next one.
import { defaultLookAheadMs } from '../../dispatch/dispatcher.ts'

/** A timer is hardly more exact than this. */
const leastSlackMs = 5
/** The part of the gap by which a request may come closer to the one before it. */
const slackShare = 0.05
/** The leader hears of a late request within this time, unless it is busy. */
const toldWithinMs = 100

/** A deviation that does no harm. */
export const slackMs = (gapMs: number): number => Math.max(leastSlackMs, gapMs * slackShare)

/** Another start may be planned before a delay is known. So a request may be late only by what can be reported in time, or
 *  by a harmless deviation. `paceMs`: the booked gap. If starts may be closer (a burst), a delay up to this gap is harmless. */
export const startGoodForMs = (gapMs: number, paceMs: number): number =>
  gapMs < paceMs ? paceMs : Math.max(slackMs(gapMs), gapMs - defaultLookAheadMs - toldWithinMs)

/** An answer arrives in another process within this time, unless one of them is busy. Then the next permit lasts longer. */
const leastPermitMs = 20
const longerEachTime = 4
/** The host gets no other requests during this time. */
const mostPermitMs = 5_000

/** `lapsed`: how many permits for the same request came too late. */
export const permitGoodForMs = (gapMs: number, lapsed: number): number =>
  Math.min(mostPermitMs, Math.max(leastPermitMs, gapMs * slackShare) * longerEachTime ** lapsed)
