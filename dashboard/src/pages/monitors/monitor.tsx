// One monitor: the results of its checks, its pages, and the feeds of its changes.
import { useEffect, useState } from 'preact/hooks'
import { asJson, type MonitorCheck, type MonitorShown, messageOf } from '../../api.ts'
import { moment, momentInFull } from '../../format.ts'
import { type Listing, useAct, useListing, useLoad, useSession } from '../../hooks.ts'
import { go, to } from '../../router.ts'
import { OnOff } from '../../ui/by-the-clock.tsx'
import { CronText } from '../../ui/cron-text.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { PageHead, Unknown } from '../../ui/page-head.tsx'
import { Button, Card, Code, CopyButton, Empty, Facts, Loading, Time, WebLink } from '../../ui/parts.tsx'
import { Listed } from '../../ui/tables.tsx'
import type { Column } from '../../virtual-list.tsx'
import { CheckInFull } from './check.tsx'
import { Counts } from './counts.tsx'

interface MonitorPageProps {
  monitorId: string
  /** The job id of the selected check; null selects the latest. */
  chosen: string | null
}

export function MonitorPage({ monitorId, chosen }: MonitorPageProps) {
  const { client } = useSession()
  const { value, problem, reload } = useLoad(() => client.monitors.get(monitorId), [client, monitorId])
  const checks = useListing(() => client.monitors.checks(monitorId), [client, monitorId])
  const onLooked = () => {
    reload()
    checks.reload()
    go(['monitors', monitorId])
  }
  if (problem && !value)
    return <Unknown above={['Monitors', '#/monitors']} id={monitorId} problem={problem} retry={reload} />
  if (!value) return <Loading />
  const jobId = chosen ?? checks.entries[0]?.jobId
  return (
    <>
      <PageHead
        crumbs={[['Monitors', '#/monitors']]}
        title={value.name}
        badges={<OnOff paused={value.paused} />}
        sub={
          <>
            <CronText cron={value.cron} timeZone={value.timeZone} />, next <Time at={value.nextAt} isFuture />
          </>
        }
      >
        <Steering monitorId={monitorId} onLooked={onLooked} />
      </PageHead>
      {jobId !== undefined ? (
        <CheckInFull key={jobId} monitorId={monitorId} jobId={jobId} />
      ) : (
        !checks.problem && <NoCheck isLoading={checks.isLoading} />
      )}
      <div class="grid">
        <CheckList monitorId={monitorId} checks={checks} />
        <About monitor={value} />
      </div>
    </>
  )
}

function NoCheck({ isLoading }: { isLoading: boolean }) {
  const { may } = useSession()
  return (
    <Card title="What it found">
      {isLoading ? (
        <Loading rows={2} />
      ) : (
        <Empty icon="eye" title="No check has ended yet">
          The first check stores the pages; later ones show here what changed.
          {may.submit && ' Run now starts a check at once.'}
        </Empty>
      )}
    </Card>
  )
}

/** Buttons that control a monitor. Nothing is shown for keys that may only read. */
function Steering({ monitorId, onLooked }: { monitorId: string; onLooked: () => void }) {
  const { client, may } = useSession()
  const did = useAct()
  const [isDeleting, setDeleting] = useState(false)
  const { isLooking, look } = useLook(monitorId, onLooked)
  if (!may.submit) return null
  const remove = () =>
    did('The monitor is deleted.', async () => {
      await client.monitors.delete(monitorId)
      go(['monitors'])
    })
  return (
    <>
      <Button icon="play" disabled={isLooking} onClick={look}>
        {isLooking ? 'Checking…' : 'Run now'}
      </Button>
      <Button kind="danger" icon="trash" onClick={() => setDeleting(true)}>
        Delete
      </Button>
      {isDeleting && (
        <Confirm
          title="Delete the monitor?"
          action="Delete it"
          onClose={() => setDeleting(false)}
          onConfirm={remove}
        >
          <p>Its results and its feed are deleted; the jobs of its checks stay.</p>
        </Confirm>
      )}
    </>
  )
}

/** Starts a check, and calls `onLooked` when the check has ended. */
function useLook(monitorId: string, onLooked: () => void) {
  const { client, say } = useSession()
  const [jobId, setJobId] = useState<string | null>(null)
  useEffect(() => {
    if (jobId === null) return
    const leaving = new AbortController()
    client.jobs
      .wait(jobId, { signal: leaving.signal })
      .then(onLooked, error => leaving.signal.aborted || say(messageOf(error), 'bad'))
      .finally(() => leaving.signal.aborted || setJobId(null))
    return () => leaving.abort()
  }, [client, jobId])
  const look = async () => {
    try {
      const started = await client.monitors.run(monitorId)
      setJobId(started.jobId)
      if (started.jobId === null) say(started.reason ?? `The check is ${started.outcome}.`, 'bad')
    } catch (error) {
      say(messageOf(error), 'bad')
    }
  }
  return { isLooking: jobId !== null, look }
}

const CheckList = ({ monitorId, checks }: { monitorId: string; checks: Listing<MonitorCheck> }) => (
  <Card title="Checks" hint="newest first" isFlush>
    <Listed
      label="Checks"
      listing={checks}
      columns={columnsOf(monitorId)}
      keyOf={({ jobId }) => jobId}
      rowHeight={50}
      minWidth="440px"
      visibleRows={8}
    >
      <Empty icon="clock" title="No checks yet" />
    </Listed>
  </Card>
)

const columnsOf = (monitorId: string): Array<Column<MonitorCheck>> => [
  {
    name: 'Checked',
    width: '150px',
    show: ({ jobId, at }) => (
      <a href={to(['monitors', monitorId], { check: jobId })}>
        <time dateTime={at} title={momentInFull(at)}>
          {moment(at)}
        </time>
      </a>
    ),
  },
  { name: 'Found', width: 'minmax(200px, 1fr)', show: ({ counts }) => <Counts counts={counts} /> },
]

const About = ({ monitor }: { monitor: MonitorShown }) => {
  const { ignore, links, webhookUrl, slackUrl, emailTo, notify } = monitor
  const facts = [
    { name: 'Feed of changes', value: <Feeds links={links} /> },
    { name: 'Ignored noise', value: ignore.noise.join(', ') || 'none' },
    { name: 'Ignored lines', value: ignore.lines.join(', ') || 'none' },
    { name: 'Ignored fields', value: ignore.fields.join(', ') || 'none' },
    { name: 'Webhook', value: webhookUrl ?? 'none' },
    { name: 'Slack', value: slackUrl ?? 'none' },
    { name: 'E-mail', value: emailTo.join(', ') || 'none' },
    { name: 'Notifies', value: notify === 'always' ? 'of every check' : 'of changes' },
    {
      name: 'Times',
      value: <a href={to(['schedules', monitor.monitorId])}>next runs, pause and resume</a>,
    },
  ]
  return (
    <div class="stack">
      <Card title="Settings of the monitor">
        <Facts facts={facts} />
      </Card>
      <Card title="What it checks">
        <Code label="The spec of its job" text={asJson(monitor.job)} />
      </Card>
    </div>
  )
}

const Feeds = ({ links }: Pick<MonitorShown, 'links'>) => (
  <span class="tags">
    <WebLink url={links.atom}>Atom</WebLink>
    <WebLink url={links.rss}>RSS</WebLink>
    <CopyButton text={links.atom} label="Copy the address" />
    <span class="field-hint">needs no key: anyone with the address can read it</span>
  </span>
)
