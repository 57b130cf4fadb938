// The conduct receipt: the user agent of the job, its consents, and its request rate per host.
import type { JobConduct } from '../../api.ts'
import { count, rate } from '../../format.ts'
import { useLoad, useSession } from '../../hooks.ts'
import { Badge, Card, Empty, Facts, Loading, Problem, Time } from '../../ui/parts.tsx'
import { ShortTable } from '../../ui/tables.tsx'

export function ConductTab({ jobId }: { jobId: string }) {
  const { client } = useSession()
  const { value, problem, reload } = useLoad(() => client.jobs.conduct(jobId), [client, jobId])
  if (problem && !value) return <Problem message={problem} retry={reload} />
  if (!value) return <Loading />
  const { robots, browser, consents, hosts } = value
  const facts = [
    { name: 'User agent', value: <code>{value.userAgent ?? 'the service’s'}</code> },
    {
      name: 'robots.txt',
      value:
        robots.policy === 'ignore' ? <Badge tone="warn">ignored</Badge> : <Badge tone="ok">obeyed</Badge>,
    },
    { name: 'Disallowed by robots.txt', value: count(robots.disallowed) },
    { name: 'robots.txt not available', value: count(robots.unreachable) },
    {
      name: 'Stealth',
      value: browser.stealth ? <Badge tone="warn">used</Badge> : <Badge tone="ok">not used</Badge>,
    },
    { name: 'Pages by browser', value: `${count(browser.pages)} (${browser.mode})` },
    { name: 'Personal data', value: { keep: 'kept', mask: 'masked', drop: 'left out' }[value.personalData] },
    { name: 'Tasks ended by do-not-crawl lists', value: count(value.denied) },
    { name: 'Failed when throttled', value: count(value.throttled) },
  ]
  return (
    <div class="grid">
      <Card title="Conduct receipt">
        <Facts facts={facts} />
      </Card>
      <div class="stack">
        <Card title="Allowed beyond the polite defaults" isFlush>
          {consents.length === 0 ? (
            <Empty icon="shield" title="Nothing">
              The job used only the polite defaults.
            </Empty>
          ) : (
            <ShortTable
              isHeadless
              columns={consentColumns}
              rows={consents}
              keyOf={({ what, at }) => `${what}${at}`}
            />
          )}
        </Card>
        <Card title="Pace at each host" hint="average between the first and the last request" isFlush>
          {hosts.length === 0 ? (
            <Empty icon="hosts" title="No host has had requests yet" />
          ) : (
            <ShortTable columns={paceColumns} rows={hosts} keyOf={({ host }) => host} />
          )}
        </Card>
        <Card title="robots.txt files" isFlush>
          {robots.files.length === 0 ? (
            <Empty icon="book" title="No robots.txt was read" />
          ) : (
            <ShortTable isHeadless columns={fileColumns} rows={robots.files} keyOf={({ origin }) => origin} />
          )}
        </Card>
      </div>
    </div>
  )
}

const consentColumns = [
  {
    name: 'What',
    isLong: true,
    show: ({ what, value, who }: JobConduct['consents'][number]) => (
      <>
        {what}: {value}
        <div class="muted">by {who}</div>
      </>
    ),
  },
  { name: 'When', isNumber: true, show: ({ at }: JobConduct['consents'][number]) => <Time at={at} /> },
]

type Pace = JobConduct['hosts'][number]

const paceColumns = [
  { name: 'Host', isLong: true, show: ({ host }: Pace) => host },
  { name: 'Requests', isNumber: true, show: ({ requests }: Pace) => count(requests) },
  {
    name: 'Achieved',
    isNumber: true,
    show: ({ achievedRate }: Pace) => (achievedRate === null ? '–' : rate(achievedRate)),
  },
  { name: 'Last', isNumber: true, show: ({ lastAt }: Pace) => <Time at={lastAt} /> },
]

type RobotsFile = JobConduct['robots']['files'][number]

const fileColumns = [
  { name: 'File', isLong: true, show: ({ origin }: RobotsFile) => `${origin}/robots.txt` },
  {
    name: 'Verdict',
    show: ({ verdict }: RobotsFile) => (
      <Badge tone={verdict === 'unreachable' ? 'bad' : 'ok'}>{verdict}</Badge>
    ),
  },
  { name: 'Read', isNumber: true, show: ({ fetchedAt }: RobotsFile) => <Time at={fetchedAt} /> },
]
