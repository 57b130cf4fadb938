// One schedule: its next runs, the state of the last runs, and the differences between two of them.
import { useState } from 'preact/hooks'
import { ApiError, asJson, type ComparedItem, type ComparisonPage, type ScheduleRunShown } from '../../api.ts'
import { ago, cell, count, moment, momentInFull, momentToCome, several } from '../../format.ts'
import { type Listing, useAct, useEvery, useListing, useLoad, useSession } from '../../hooks.ts'
import { go, to } from '../../router.ts'
import { hasEnded, jobWords, type StateWords, type Tone } from '../../state-words.ts'
import { OnOff } from '../../ui/by-the-clock.tsx'
import { CronText } from '../../ui/cron-text.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { PageHead, Unknown } from '../../ui/page-head.tsx'
import { Badge, Button, Card, Code, Empty, Facts, Loading, Problem, Stat, Time } from '../../ui/parts.tsx'
import { Listed, ShortTable } from '../../ui/tables.tsx'
import type { Column } from '../../virtual-list.tsx'

export function SchedulePage({ scheduleId }: { scheduleId: string }) {
  const { client, may } = useSession()
  const did = useAct()
  const { value, problem, reload } = useLoad(() => client.schedules.get(scheduleId), [client, scheduleId])
  const runs = useListing(() => client.schedules.runs(scheduleId, { pageSize: 50 }), [client, scheduleId])
  useRefreshed(scheduleId, runs)
  const [isDeleting, setDeleting] = useState(false)
  const act = async (done: string, action: () => Promise<unknown>) => {
    await did(done, action)
    reload()
    runs.reload()
  }
  if (problem && !value)
    return <Unknown above={['Schedules', '#/schedules']} id={scheduleId} problem={problem} retry={reload} />
  if (!value) return <Loading />
  return (
    <>
      <PageHead
        crumbs={[['Schedules', '#/schedules']]}
        title={value.name || scheduleId}
        badges={<OnOff paused={value.paused} />}
        sub={
          <>
            <CronText cron={value.cron} timeZone={value.timeZone} />
          </>
        }
      >
        {may.submit && (
          <>
            <Button
              icon="play"
              onClick={() => act('A run was started.', () => client.schedules.run(scheduleId))}
            >
              Run now
            </Button>
            {value.paused ? (
              <Button
                kind="primary"
                onClick={() =>
                  act('The schedule continues with the next tick.', () => client.schedules.resume(scheduleId))
                }
              >
                Resume
              </Button>
            ) : (
              <Button
                icon="pause"
                onClick={() => act('The schedule is paused.', () => client.schedules.pause(scheduleId))}
              >
                Pause
              </Button>
            )}
            <Button kind="danger" icon="trash" onClick={() => setDeleting(true)}>
              Delete
            </Button>
          </>
        )}
      </PageHead>
      <Changes scheduleId={scheduleId} />
      <div class="grid">
        <Card title="Runs" hint="newest first" isFlush>
          <Listed
            label="Runs"
            listing={runs}
            columns={columns}
            keyOf={({ tick }) => tick}
            rowHeight={54}
            minWidth="440px"
            visibleRows={8}
          >
            <Empty icon="clock" title="No runs yet">
              The first run appears here after its tick.
            </Empty>
          </Listed>
        </Card>
        <div class="stack">
          <Card title="Next runs" hint="in your time zone">
            <Facts
              facts={value.nextRuns.map(at => ({
                name: ago(at),
                value: (
                  <time dateTime={at} title={momentInFull(at)}>
                    {momentToCome(at)}
                  </time>
                ),
              }))}
            />
          </Card>
          <Card title="Its job">
            <Code label="The body of the job" text={asJson(value.job)} />
          </Card>
        </div>
      </div>
      {isDeleting && (
        <Confirm
          title="Delete the schedule?"
          action="Delete it"
          onClose={() => setDeleting(false)}
          onConfirm={() =>
            act('The schedule is deleted.', async () => {
              await client.schedules.delete(scheduleId)
              go(['schedules'])
            })
          }
        >
          <p>The list of its runs is deleted too; their jobs stay.</p>
        </Confirm>
      )}
    </>
  )
}

const refreshedRuns = 20

/** While a run has not ended, reloads its state and counts. */
function useRefreshed(scheduleId: string, { entries, change }: Listing<ScheduleRunShown>): void {
  const { client } = useSession()
  const isOpen = entries.some(({ outcome, job }) => outcome === 'queued' || (job && !hasEnded(job.status)))
  const refresh = async () => {
    const latest = new Map<string, ScheduleRunShown>()
    for await (const run of client.schedules.runs(scheduleId, { pageSize: refreshedRuns })) {
      latest.set(run.tick, run)
      if (latest.size === refreshedRuns) break
    }
    change(before => before.map(run => latest.get(run.tick) ?? run))
  }
  useEvery(3_000, () => refresh().catch(() => {}), isOpen)
}

const outcomes: Record<ScheduleRunShown['outcome'], StateWords> = {
  started: { words: 'Started, job deleted', tone: 'idle' },
  queued: { words: 'Waits for the previous run', tone: 'info' },
  skipped: { words: 'Skipped', tone: 'idle' },
  failed: { words: 'Not started', tone: 'bad' },
}

const countsOf = ({ tasks, succeeded, failed, records }: NonNullable<ScheduleRunShown['job']>): string =>
  [
    `${count(succeeded)} of ${several(tasks, 'task')}`,
    ...(failed > 0 ? [`${count(failed)} failed`] : []),
    several(records, 'record'),
  ].join(', ')

const columns: Array<Column<ScheduleRunShown>> = [
  {
    name: 'Due',
    width: '110px',
    show: ({ tick }) => (
      <time dateTime={tick} title={momentInFull(tick)}>
        {moment(tick)}
      </time>
    ),
  },
  {
    name: 'Outcome',
    width: '150px',
    show: ({ outcome, job }) => (
      <Badge state={job ? jobWords({ ...job, reason: null }) : outcomes[outcome]} />
    ),
  },
  {
    name: 'Job',
    width: 'minmax(150px, 1fr)',
    show: ({ jobId, job, reason }) =>
      jobId ? (
        <span class="two-lines">
          <a href={to(['jobs', jobId])}>{jobId}</a>
          {job && <small>{countsOf(job)}</small>}
        </span>
      ) : (
        <span class="muted" title={reason ?? undefined}>
          {reason}
        </span>
      ),
  },
]

/** The comparison of two runs; null if there are not two runs to compare. */
async function comparison(load: () => Promise<ComparisonPage>): Promise<ComparisonPage | null> {
  try {
    return await load()
  } catch (error) {
    if (error instanceof ApiError && error.status === 409) return null
    throw error
  }
}

const shownChanges = 100

function Changes({ scheduleId }: { scheduleId: string }) {
  const { client } = useSession()
  const { value, problem, isLoading, reload } = useLoad(
    () => comparison(() => client.schedules.compare(scheduleId, { limit: shownChanges })),
    [client, scheduleId],
  )
  if (problem) return <Problem message={problem} retry={reload} />
  if (!value)
    return (
      <Card title="What changed since the previous run">
        {isLoading ? (
          <Loading rows={2} />
        ) : (
          <Empty icon="again" title="Nothing to compare yet">
            When two runs have ended, their records are compared here.
          </Empty>
        )}
      </Card>
    )
  const { counts, items, from, to: later } = value
  return (
    <>
      <div class="stats">
        <Stat name="New" value={count(counts.new)} />
        <Stat name="Changed" value={count(counts.changed)} />
        <Stat name="Gone" value={count(counts.gone)} {...(counts.gone > 0 && { tone: 'bad' as const })} />
        <Stat name="Unchanged" value={count(counts.unchanged)} />
      </div>
      <Card
        title="What changed since the previous run"
        hint={
          <>
            <a href={to(['jobs', from.jobId])}>{from.jobId}</a> (<Time at={from.createdAt} />) and{' '}
            <a href={to(['jobs', later.jobId])}>{later.jobId}</a>
          </>
        }
        isFlush
      >
        {items.length === 0 ? (
          <Empty icon="shield" title="Nothing changed" />
        ) : (
          <ShortTable
            isHeadless
            stacks
            columns={changeColumns}
            rows={items}
            keyOf={({ difference, itemId }) => `${difference} ${itemId}`}
          />
        )}
      </Card>
    </>
  )
}

const differences: Record<string, Tone> = { new: 'ok', changed: 'info', gone: 'bad', unchanged: 'idle' }

const changeColumns = [
  {
    name: 'What',
    show: ({ difference }: ComparedItem) => <Badge tone={differences[difference]!}>{difference}</Badge>,
  },
  { name: 'Page', isLong: true, show: ({ url }: ComparedItem) => url },
  { name: 'Fields', isLong: true, show: (item: ComparedItem) => <Difference item={item} /> },
]

const mostFields = 4

function Difference({ item }: { item: ComparedItem }) {
  if (item.difference !== 'changed') return <span class="muted">{item.reason ?? ''}</span>
  return (
    <div class="diff">
      {(item.fields ?? []).slice(0, mostFields).map(field => (
        <div key={field}>
          <b>{field}</b> <del>{cut(cell(item.before?.data[field]))}</del>{' '}
          <ins>{cut(cell(item.after?.data[field]))}</ins>
        </div>
      ))}
    </div>
  )
}

const cut = (text: string): string => (text.length > 120 ? `${text.slice(0, 120)}…` : text || '–')
