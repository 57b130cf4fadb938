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

/**
 * The next start at the host is planned when this one may still be told of; where that is too soon, only as late as nobody minds.
 * `paceMs`: the distance that was booked; where starts may be closer than that (a burst), one that is late by as much harms nobody.
 */
export const startGoodForMs = (gapMs: number, paceMs: number): number =>
  gapMs < paceMs ? paceMs : Math.max(slackMs(gapMs), gapMs - defaultLookAheadMs - toldWithinMs)

/** An answer reaches another process within this, unless one of them is busy; then the next is given longer. */
const leastPermitMs = 20
const longerEachTime = 4
/** The host stands still meanwhile. */
const mostPermitMs = 5_000

/** `lapsed`: how many permits for the same request came too late. */
export const permitGoodForMs = (gapMs: number, lapsed: number): number =>
  Math.min(mostPermitMs, Math.max(leastPermitMs, gapMs * slackShare) * longerEachTime ** lapsed)
