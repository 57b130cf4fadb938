// The actions of kscrape hosts.

import type { Client, HostShown } from '../../client.ts'
import { defined } from '../../lib/defined.ts'
import { mapKeys, snake } from '../../model/letter-case.ts'
import type { CommonFlags } from '../flags/flags.ts'
import { print, printJson } from '../print.ts'
import { serviceNeeded } from '../service.ts'
import { table } from '../show/job-tables.ts'
import { safe } from '../talk.ts'

const hostsOf = async (flags: CommonFlags): Promise<Client['hosts']> =>
  (await serviceNeeded(flags, 'hosts')).hosts

export async function list(flags: CommonFlags): Promise<void> {
  const found = await Array.fromAsync((await hostsOf(flags)).list())
  if (flags.json) for (const host of found) printJson(mapKeys(host, snake))
  else
    print(table(['host', 'rate', 'breaker', 'in flight', 'requests', 'failures', 'state'], found.map(rowOf)))
}

const rateText = (rate: HostShown['rateNow']): string =>
  rate === 'unlimited' ? rate : `${Math.round(rate * 1_000) / 1_000}/s`

export const rowOf = (host: HostShown): string[] => [
  host.host,
  rateText(host.rateNow),
  host.breaker.state,
  String(host.inFlight),
  String(host.requests),
  String(host.failures),
  stateOf(host),
]

function stateOf({ denied, paused }: HostShown): string {
  if (denied !== null) return `denied: ${safe(denied)}`
  if (paused === null) return 'asked'
  return `paused${paused.until ? ` until ${paused.until}` : ''}${paused.reason ? `: ${safe(paused.reason)}` : ''}`
}

export async function show(host: string, flags: CommonFlags): Promise<void> {
  told(flags, await (await hostsOf(flags)).get(host))
}

function told(flags: CommonFlags, host: HostShown): void {
  if (flags.json) printJson(mapKeys(host, snake))
  else print(linesOf(host).join('\n'))
}

export function linesOf(host: HostShown): string[] {
  const { waits, breaker, policySet } = host
  return [
    `${host.host}  ${stateOf(host)}`,
    `  ${rateText(host.rateNow)}${host.rateFactor < 1 ? `, slowed down to ${Math.round(host.rateFactor * 100)} %` : ''}`,
    `  ${host.requests} requests, ${host.failures} failed, ${host.inFlight} in flight; breaker ${breaker.state}`,
    ...(waits
      ? [`  the next request waits for: ${waits.reason}${waits.until ? ` until ${waits.until}` : ''}`]
      : []),
    ...(policySet
      ? [`  set by ${policySet.by} at ${policySet.at}: ${JSON.stringify(policySet.policy)}`]
      : []),
    ...host.robots.map(
      ({ origin, verdict, frontPage }) =>
        `  robots.txt of ${origin}: ${verdict}${frontPage ? `, front page ${frontPage.allowed ? 'allowed' : 'disallowed'}` : ''}`,
    ),
    ...host.lastErrors.map(({ code, message }) => `  error ${code}${message ? `: ${safe(message)}` : ''}`),
  ]
}

export async function pause(
  host: string,
  flags: CommonFlags & { reason?: string; until?: string },
): Promise<void> {
  const { reason, until } = flags
  const why = defined({ reason, until })
  told(flags, await (await hostsOf(flags)).pause(host, why))
}

export async function resume(host: string, flags: CommonFlags): Promise<void> {
  told(flags, await (await hostsOf(flags)).resume(host))
}

export async function policy(
  host: string,
  flags: CommonFlags & { rate?: number | 'unlimited'; concurrency?: number },
): Promise<void> {
  const { rate, concurrency } = flags
  const wanted = defined({ rate, concurrency })
  told(flags, await (await hostsOf(flags)).setPolicy(host, Object.keys(wanted).length > 0 ? wanted : null))
}
