// Proxies: the health of each of the operator's proxies.
import { messageOf } from '../api.ts'
import { count, percent } from '../format.ts'
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
      <PageHead title="Proxies" sub="Requests use healthy proxies. Unhealthy ones are checked regularly.">
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
            rows={value}
            keyOf={({ name }) => name}
            columns={[
              { name: 'Proxy', show: ({ name }) => <code>{name}</code> },
              { name: 'From', show: ({ source }) => source },
              {
                name: 'State',
                show: ({ healthy }) => (
                  <Badge tone={healthy ? 'ok' : 'bad'}>{healthy ? 'healthy' : 'unhealthy'}</Badge>
                ),
              },
              { name: 'Requests', isNumber: true, show: one => count(one.successes + one.failures) },
              {
                name: 'Failed',
                isNumber: true,
                show: ({ failures, successes }) => percent(failures, failures + successes),
              },
              { name: 'Trouble', isLong: true, show: ({ trouble }) => trouble ?? '–' },
              {
                name: 'Since',
                show: ({ unhealthySince }) => (unhealthySince ? <Time at={unhealthySince} /> : '–'),
              },
            ]}
          />
        )}
      </Card>
    </>
  )
}
