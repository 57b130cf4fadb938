// How fast a job goes, and why not faster.

/** What sets the pace. `default`: nobody said anything, so it is the polite one. */
export const paceReasons = ['default', 'job', 'domain', 'crawl-delay', 'slowdown', 'unlimited'] as const
export type PaceReason = (typeof paceReasons)[number]

export interface JobPace {
  /** Requests per second over all hosts with work; null without a limit. */
  perSecond: number | null
  reason: PaceReason
  /** The host that takes longest. */
  host: string
  /** How long the known work takes there at that pace. */
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

/** "1/s, the polite default; --rate changes it". */
export function paceText({ perSecond, reason }: JobPace): string {
  if (perSecond === null) return words.unlimited
  const rate =
    perSecond >= 0.1
      ? `${Number(perSecond.toPrecision(2))}/s`
      : `${Number((perSecond * 60).toPrecision(2))}/min`
  return `${rate}, ${words[reason]}`
}
