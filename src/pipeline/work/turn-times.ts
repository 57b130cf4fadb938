// For how long a turn at a host is good in another process: what goes out later than that would come close before somebody else's.
import { defaultLookAheadMs } from '../../dispatch/dispatcher.ts'

/** A timer is hardly more exact than this. */
const leastSlackMs = 5
/** By so much of its distance a request may come closer to the one before it. */
const slackShare = 0.05
/** Whoever leads has heard of a late request by then, or is busy. */
const toldWithinMs = 100

/** What nobody minds. */
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
