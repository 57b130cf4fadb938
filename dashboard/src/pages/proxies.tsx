// Proxies: the health of each of the operator's proxies.
import { messageOf, type ProxyShown } from '../api.ts'
import { percent, several } from '../format.ts'
import { useEvery, useLoad, useSession } from '../hooks.ts'
import { PageHead } from '../ui/page-head.tsx'
import { Badge, Button, Card, Empty, Loading, Problem, Time } from '../ui/parts.tsx'
import { ShortTable } from '../ui/tables.tsx'

export default function ProxiesPage() {
  const { client, say } = useSession()
  const { value, problem, reload, set } = useLoad(() => client.proxies.list(), [client])
  useEvery(10_000, reload)
  const check = async () => {
    try {
      const checked = await client.proxies.check()
      set(() => checked)
      say('All proxies were checked.')
    } catch (error) {
      say(messageOf(error), 'bad')
    }
  }
  if (problem && !value) return <Problem message={problem} retry={reload} />
  if (!value) return <Loading />
  return (
    <>
      <PageHead
        title="Proxies"
        sub={`${healthText(value)}Unhealthy proxies are not used, and are checked regularly.`}
      >
        {value.length > 0 && (
          <Button icon="again" onClick={check}>
            Check now
          </Button>
        )}
      </PageHead>
      <Card isFlush>
        {value.length === 0 ? (
          <Empty icon="outside" title="No proxies">
            <span>
              Pages are fetched directly. Set <code>SCRAPER_PROXIES</code> to use proxies.
            </span>
          </Empty>
        ) : (
          <ShortTable
            stacks
            rows={value}
            keyOf={({ name }) => name}
            columns={[
              {
                name: 'Proxy',
                show: ({ name, source }) => (
                  <span class="two-lines">
                    <code>{name}</code>
                    <small>from: {source}</small>
                  </span>
                ),
              },
              {
                name: 'State',
                show: ({ healthy }) => (
                  <Badge tone={healthy ? 'ok' : 'bad'}>{healthy ? 'healthy' : 'unhealthy'}</Badge>
                ),
              },
              {
                name: 'Requests',
                show: ({ failures, successes }) =>
                  `${several(failures + successes, 'request')}, ${percent(failures, failures + successes)} failed`,
              },
              {
                name: 'Trouble',
                isLong: true,
                show: ({ trouble, unhealthySince }) => <Trouble trouble={trouble} since={unhealthySince} />,
              },
            ]}
          />
        )}
      </Card>
    </>
  )
}

function healthText(proxies: readonly ProxyShown[]): string {
  const healthy = proxies.filter(one => one.healthy).length
  return proxies.length === 0
    ? ''
    : `${healthy} of ${several(proxies.length, 'proxy')} ${proxies.length === 1 ? 'is' : 'are'} healthy. `
}

const troubles: Record<string, string> = {
  'proxy.refused': 'refuses the user name or password',
  'proxy.failed': 'is unreachable, or breaks the protocol',
  'connection.lost': 'closes connections',
  'connect.failed': 'opens no tunnel to a site',
  'connect.refused': 'opens no tunnel to a site',
  'connect.timeout': 'takes too long to connect',
  'fetch.timeout': 'takes too long to respond',
}

function Trouble({ trouble, since }: { trouble: string | null; since: string | null }) {
  if (trouble === null) return null
  return (
    <span class="two-lines">
      <span>{troubles[trouble] ?? trouble}</span>
      <small>
        <code>{trouble}</code>
        {since && (
          <>
            , since <Time at={since} />
          </>
        )}
      </small>
    </span>
  )
}
