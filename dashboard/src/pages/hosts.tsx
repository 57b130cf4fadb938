// Hosts: their request rates and responses, and the operator's settings for them.
import { useState } from 'preact/hooks'
import type { Client, HostShown } from '../api.ts'
import type { PageProps } from '../app.tsx'
import { count, percent, rate, span } from '../format.ts'
import { useEvery, useListing, useSession } from '../hooks.ts'
import { go, to } from '../router.ts'
import type { StateWords } from '../state-words.ts'
import { waitSentences } from '../state-words.ts'
import { PageHead } from '../ui/page-head.tsx'
import { Badge, Card, Empty, Time } from '../ui/parts.tsx'
import { SearchBox } from '../ui/search-box.tsx'
import { Listed } from '../ui/tables.tsx'
import type { Column } from '../virtual-list.tsx'
import { HostPage } from './hosts/host.tsx'

export default function HostsPage({ place }: PageProps) {
  const [, host] = place.path
  if (host !== undefined) return <HostPage key={host} host={host} />
  return <AllHosts />
}

function AllHosts() {
  const { client } = useSession()
  const hosts = useListing(() => client.hosts.list(), [client])
  const [typed, setTyped] = useState('')
  // Do not reload while the user has scrolled down, so that the list does not move.
  useEvery(
    5_000,
    () =>
      hosts.isDone &&
      hosts.entries.length < refreshed &&
      void firstHosts(client).then(fresh => hosts.change(() => fresh)),
  )
  const shown = hosts.entries.filter(({ host }) => host.includes(typed.trim().toLowerCase()))
  const open = (event: Event) => {
    event.preventDefault()
    const url = URL.parse(typed.includes('://') ? typed : `http://${typed}`)
    if (url) go(['hosts', url.host])
  }
  return (
    <>
      <PageHead title="Hosts" sub="Rate limits apply to each host, over all jobs and workspaces." />
      <form class="toolbar" onSubmit={open}>
        <SearchBox
          label="Find a host"
          placeholder="Part of a name; Enter opens the host"
          value={typed}
          onInput={setTyped}
        />
      </form>
      <Card isFlush>
        <Listed
          label="Hosts"
          listing={{ ...hosts, entries: shown }}
          columns={columns}
          keyOf={({ host }) => host}
          rowHeight={52}
          minWidth="820px"
        >
          <Empty icon="hosts" title={typed ? 'No host matches' : 'No host has had requests yet'}>
            {typed
              ? 'Press Enter to set a policy before the first request.'
              : 'Hosts appear when the first job sends requests.'}
          </Empty>
        </Listed>
      </Card>
    </>
  )
}

const refreshed = 100

async function firstHosts(client: Client): Promise<HostShown[]> {
  const hosts: HostShown[] = []
  for await (const host of client.hosts.list()) if (hosts.push(host) >= refreshed) break
  return hosts
}

export function hostWords({ denied, paused, breaker, rateFactor, waits }: HostShown): StateWords {
  if (denied) return { words: 'Do not crawl', tone: 'bad', why: denied }
  if (paused) return { words: 'Paused', tone: 'warn', ...(paused.reason && { why: paused.reason }) }
  if (breaker.state === 'open') return { words: 'Breaker open', tone: 'bad' }
  if (breaker.state === 'half_open') return { words: 'Breaker trying', tone: 'warn' }
  if (waits?.reason === 'hours') return { words: 'Waiting for hours', tone: 'warn' }
  if (rateFactor < 1) return { words: 'Slowed down', tone: 'warn' }
  return { words: 'Fine', tone: 'ok' }
}

export const paceWords = (pace: HostShown['rateNow']): string =>
  pace === 'unlimited' ? 'unlimited' : rate(pace)

const columns: Array<Column<HostShown>> = [
  {
    name: 'Host',
    width: 'minmax(180px, 2fr)',
    show: ({ host }) => (
      <a class="strong" href={to(['hosts', host])}>
        {host}
      </a>
    ),
  },
  { name: 'State', width: '150px', show: host => <Badge state={hostWords(host)} /> },
  { name: 'Pace', width: '96px', isNumber: true, show: ({ rateNow }) => paceWords(rateNow) },
  { name: 'Requests', width: '84px', isNumber: true, show: ({ requests }) => count(requests) },
  {
    name: 'Failed',
    width: '84px',
    isNumber: true,
    show: ({ requests, failures }) => percent(failures, requests),
  },
  { name: 'In flight', width: '70px', isNumber: true, show: ({ inFlight }) => inFlight },
  {
    name: 'Robots',
    width: '110px',
    show: ({ robots, crawlDelayMs }) => (
      <span class="two-lines">
        <span>{robots[0]?.verdict ?? 'not read'}</span>
        {crawlDelayMs !== null && <small>delay {span(crawlDelayMs)}</small>}
      </span>
    ),
  },
  {
    name: 'Last error',
    width: 'minmax(130px, 1.500fr)',
    show: ({ lastErrors: [last] }) =>
      last ? (
        <span class="two-lines">
          <span>{last.code}</span>
          <small>
            <Time at={last.at} />
          </small>
        </span>
      ) : (
        <span class="muted">none</span>
      ),
  },
]

export const waitWords = (host: HostShown): string =>
  host.waits ? (waitSentences[host.waits.reason] ?? host.waits.reason) : 'nothing'
