// The rate of a job, and what limits it.

/** What limits the rate. `default`: the polite default, because nothing else is set. */
export const paceReasons = ['default', 'job', 'domain', 'crawl-delay', 'slowdown', 'unlimited'] as const
export type PaceReason = (typeof paceReasons)[number]

export interface JobPace {
  /** Requests per second over all hosts with work; null without a limit. */
  perSecond: number | null
  reason: PaceReason
  /** The slowest host. */
  host: string
  /** Number of known tasks at the slowest host. */
  pages: number
  /** How long these tasks take at the rate of that host. */
  leftMs: number
}

const words: Record<PaceReason, string> = {
  default: 'the polite default; --rate changes it',
  job: 'as the job asks',
  domain: 'by the policy of the domain',
  'crawl-delay': 'the Crawl-delay of robots.txt',
  slowdown: 'slowed down after 429',
  unlimited: 'no limit',
}

/** The pace of a job whose page limit allows `pagesLeft` more pages. The job may know more links than that. */
export function paceWithin(pace: JobPace | null, pagesLeft: number): JobPace | null {
  if (!pace || pace.pages <= pagesLeft) return pace
  const pages = Math.max(0, pagesLeft)
  return { ...pace, pages, leftMs: (pace.leftMs * pages) / pace.pages }
}

/** The pace as a sentence: "200007 pages of a.example take at least 2d 7h: 1/s, the polite default; --rate changes it".
 *  `duration` formats milliseconds. */
export const paceSentence = (pace: JobPace, duration: (ms: number) => string): string =>
  `${pace.pages} pages of ${pace.host} take at least ${duration(roughly(pace.leftMs))}: ${paceText(pace)}`

/** Rounds a duration: to the second below a minute, to the minute below a day, else to the hour. */
export function roughly(ms: number): number {
  const unit = ms >= 86_400_000 ? 3_600_000 : ms >= 60_000 ? 60_000 : 1_000
  return Math.round(ms / unit) * unit
}

/** The rate and its reason as text: "1/s, the polite default; --rate changes it". */
export function paceText({ perSecond, reason }: JobPace): string {
  if (perSecond === null) return words.unlimited
  const rate =
    perSecond >= 0.1
      ? `${Number(perSecond.toPrecision(2))}/s`
      : `${Number((perSecond * 60).toPrecision(2))}/min`
  return `${rate}, ${words[reason]}`
}
