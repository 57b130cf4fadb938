// One job: its state, progress, results, conduct and controls.
import { useEffect, useState } from 'preact/hooks'
import type { JobEvent, JobStatus } from '../api.ts'
import type { PageProps } from '../app.tsx'
import { count, several, shortUrl } from '../format.ts'
import { useEvery, useLoad, useSession, useThrottled } from '../hooks.ts'
import { replace } from '../router.ts'
import { hasEnded, jobWords } from '../state-words.ts'
import { follow } from '../stream.ts'
import { PageHead, Unknown } from '../ui/page-head.tsx'
import { Badge, Loading, Problem, Tabs } from '../ui/parts.tsx'
import { ConductTab } from './job/conduct.tsx'
import { HostsTab } from './job/hosts.tsx'
import { JobMetrics } from './job/metrics.tsx'
import { OverviewTab } from './job/overview.tsx'
import { RecordsTab } from './job/records.tsx'
import { JobSteering } from './job/steering.tsx'
import { TasksTab } from './job/tasks.tsx'
import { TaskPage } from './task.tsx'

/** Shortest time between two full reloads. Between them, events update the counts. */
const lookEveryMs = 3_000

export default function JobOrTask({ place }: PageProps) {
  const [, jobId = '', , itemId] = place.path
  if (itemId !== undefined) return <TaskPage key={`${jobId}/${itemId}`} jobId={jobId} itemId={itemId} />
  return <JobPage key={jobId} jobId={jobId} tab={place.query.get('tab') ?? 'overview'} place={place} />
}

function JobPage({ jobId, tab, place }: PageProps & { jobId: string; tab: string }) {
  const { job, problem, reload } = useJob(jobId)
  if (problem && !job)
    return <Unknown above={['Jobs', '#/jobs']} id={jobId} problem={problem} retry={reload} />
  if (!job) return <Loading rows={6} />
  const tabs = [
    { id: 'overview', name: 'Overview' },
    { id: 'tasks', name: `Tasks · ${count(job.counts.tasks)}` },
    { id: 'records', name: `Records · ${count(job.counts.records)}` },
    { id: 'hosts', name: 'Hosts' },
    { id: 'conduct', name: 'Conduct' },
  ]
  const show = (id: string) => replace(['jobs', jobId], { tab: id === 'overview' ? undefined : id })
  return (
    <>
      <PageHead
        crumbs={[['Jobs', '#/jobs']]}
        title={job.jobId}
        badges={<Badge state={jobWords({ ...job, inFlight: job.progress.inFlight })} />}
        sub={aboutJob(job)}
      >
        <JobSteering job={job} onChange={reload} />
      </PageHead>
      {problem && <Problem message={problem} retry={reload} />}
      <JobMetrics job={job} />
      <Tabs label="Views of the job" tabs={tabs} now={tab} onChange={show} />
      {tab === 'tasks' && <TasksTab job={job} query={place.query} />}
      {tab === 'records' && <RecordsTab job={job} />}
      {tab === 'hosts' && <HostsTab job={job} />}
      {tab === 'conduct' && <ConductTab jobId={jobId} />}
      {tab === 'overview' && <OverviewTab job={job} />}
    </>
  )
}

function aboutJob({ asked, kind, scraperId, scheduleId }: JobStatus): string {
  const { first, count: named } = asked.source
  const what = { crawl: 'Crawl of', list: 'List of', map: 'Map of' }[kind]
  const source = first[0] ? shortUrl(first[0]) : several(named, 'item')
  const more = first[0] && named > 1 ? ` and ${count(named - 1)} more` : ''
  return [`${what} ${source}${more}`, `scraper ${scraperId}`, scheduleId && `run by ${scheduleId}`]
    .filter(Boolean)
    .join(' · ')
}

/** Follows the job's events. If the stream breaks, opens it again and reloads everything. */
function useJob(jobId: string) {
  const { client } = useSession()
  const { value: job, problem, reload, set } = useLoad(() => client.jobs.get(jobId), [client, jobId])
  const look = useThrottled(lookEveryMs, reload)
  const [isOpen, setOpen] = useState(false)
  const status = job?.status
  useEffect(() => {
    if (status !== undefined) setOpen(!hasEnded(status))
  }, [status])
  useEffect(() => {
    if (!isOpen) return
    const onEvent = ({ event, data }: JobEvent) => {
      if (event === 'progress')
        set(
          before =>
            before && {
              ...before,
              ...{ status: data.status, reason: data.reason, counts: data.counts },
              progress: { ...before.progress, inFlight: data.inFlight },
            },
        )
      look()
    }
    return follow({ open: signal => client.jobs.events(jobId, { signal }), onEvent })
  }, [client, jobId, isOpen, set, look])
  // The speed and the reasons to wait change even if no task ends, so the job is reloaded regularly. The reload is throttled,
  // because an event may have caused another reload just before.
  useEvery(10_000, look, isOpen)
  return { job, problem, reload }
}
