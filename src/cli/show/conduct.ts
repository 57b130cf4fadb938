// The conduct receipt of a job, as `jobs show` tells it.
import { safe } from '../talk.ts'

/** What is told of it; a service says times in words, a data directory in milliseconds. */
export interface ShownConduct {
  robots: { disallowed: number }
  denied: number
  consents: ReadonlyArray<{ what: string; value: string; who: string; at: string | number }>
  hosts: ReadonlyArray<{ host: string; requests: number; achievedRate: number | null }>
  moreHosts: boolean
}

const shownHosts = 5

/** What is as everyone expects it is not said. */
export function conductLines(receipt: ShownConduct): string[] {
  const { consents, hosts, robots, denied } = receipt
  return [
    ...(robots.disallowed > 0 ? [`left alone ${robots.disallowed} pages, as robots.txt says`] : []),
    ...(denied > 0 ? [`left alone ${denied} pages of hosts on the do-not-crawl list`] : []),
    ...hosts.slice(0, shownHosts).map(hostLine),
    ...(hosts.length > shownHosts
      ? [`asked ${hosts.length - shownHosts}${receipt.moreHosts ? '+' : ''} more hosts`]
      : []),
    ...consents.map(
      ({ what, value, who, at }) =>
        `allowed ${what}: ${safe(value)} (${safe(who)}, ${new Date(at).toISOString()})`,
    ),
  ]
}

function hostLine({ host, requests, achievedRate }: ShownConduct['hosts'][number]): string {
  const pace = achievedRate === null ? '' : `, ${achievedRate}/s on average`
  return `asked ${safe(host)} ${requests === 1 ? 'once' : `${requests} times`}${pace}`
}
