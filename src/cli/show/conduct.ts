// Prints the conduct receipt of a job, for `jobs show`.
import { countOf } from '../../lib/text/units.ts'
import { safe } from '../talk.ts'

/** The printed part of a receipt. A service gives times as text, a data directory in milliseconds. */
export interface ShownConduct {
  robots: { disallowed: number }
  denied: number
  consents: ReadonlyArray<{ what: string; value: string; who: string; at: string | number }>
  hosts: ReadonlyArray<{ host: string; requests: number; achievedRate: number | null }>
  moreHosts: boolean
}

const shownHosts = 5

/** The lines of the receipt. Counts of zero are left out. */
export function conductLines(receipt: ShownConduct): string[] {
  const { consents, hosts, robots, denied } = receipt
  return [
    ...(robots.disallowed > 0 ? [`skipped ${robots.disallowed} pages because of robots.txt`] : []),
    ...(denied > 0 ? [`skipped ${denied} pages of hosts on the do-not-crawl list`] : []),
    ...hosts.slice(0, shownHosts).map(hostLine),
    ...(hosts.length > shownHosts
      ? [`requested ${hosts.length - shownHosts}${receipt.moreHosts ? '+' : ''} more hosts`]
      : []),
    ...consents.map(
      ({ what, value, who, at }) =>
        `allowed ${what}: ${safe(value)} (${safe(who)}, ${new Date(at).toISOString()})`,
    ),
  ]
}

function hostLine({ host, requests, achievedRate }: ShownConduct['hosts'][number]): string {
  const pace = achievedRate === null ? '' : `, ${achievedRate}/s on average`
  return `sent ${countOf(requests, 'request')} to ${safe(host)}${pace}`
}
