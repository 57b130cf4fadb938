// One schedule: its next runs, what became of the last ones, and what changed between two of them.
import { useState } from 'preact/hooks'
import {
  ApiError,
  type ComparedItem,
  type ComparisonPage,
  messageOf,
  type ScheduleRunShown,
} from '../../api.ts'
import { ago, cell, count, moment, momentInFull } from '../../format.ts'
import { useListing, useLoad, useSession } from '../../hooks.ts'
import { go, to } from '../../router.ts'
import type { Tone } from '../../state-words.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { Badge, Button, Card, Code, Empty, Facts, Loading, Problem, Stat, Time } from '../../ui/parts.tsx'
import { type Column, VirtualList } from '../../virtual-list.tsx'

export function SchedulePage({ scheduleId }: { scheduleId: string }) {
  const { client, may, say } = useSession()
  const { value, problem, reload } = useLoad(() => client.schedules.get(scheduleId), [client, scheduleId])
  const runs = useListing(() => client.schedules.runs(scheduleId, { pageSize: 50 }), [client, scheduleId])
  const [isDeleting, setDeleting] = useState(false)
  const act = async (done: string, action: () => Promise<unknown>) => {
    try {
      await action()
      say(done)
      reload()
      runs.reload()
    } catch (error) {
      say(messageOf(error), 'bad')
    }
  }
  if (problem && !value) return <Problem message={problem} retry={reload} />
  if (!value) return <Loading />
  return (
    <>
      <div class="page-head">
        <div>
          <p class="crumbs">
            <a href="#/schedules">Schedules</a>
          </p>
          <div class="title-line">
            <h1>{value.name || scheduleId}</h1>
            <Badge tone={value.paused ? 'warn' : 'ok'}>{value.paused ? 'paused' : 'on'}</Badge>
          </div>
          <p class="sub">
            <code>{value.cron}</code> in {value.timeZone}
          </p>
        </div>
        {may.submit && (
          <div class="actions">
            <Button icon="play" onClick={() => act('It runs now.', () => client.schedules.run(scheduleId))}>
              Run now
            </Button>
            {value.paused ? (
              <Button
                kind="primary"
                onClick={() =>
                  act('It goes on with the next tick.', () => client.schedules.resume(scheduleId))
                }
              >
                Resume
              </Button>
            ) : (
              <Button
                icon="pause"
                onClick={() => act('Its times pass without a run.', () => client.schedules.pause(scheduleId))}
              >
                Pause
              </Button>
            )}
            <Button kind="danger" icon="trash" onClick={() => setDeleting(true)}>
              Delete
            </Button>
          </div>
        )}
      </div>
      <Changes scheduleId={scheduleId} />
      <div class="grid">
        <Card title="Runs" hint="newest first" isFlush>
          {runs.entries.length > 0 ? (
            <VirtualList
              label="Runs"
              columns={columns}
              rows={runs.entries}
              keyOf={({ tick }) => tick}
              rowHeight={50}
              minWidth="440px"
              visibleRows={8}
              {...runs}
            />
          ) : (
            !runs.isLoading && (
              <Empty icon="clock" title="No runs yet">
                The first is shown here after its tick.
              </Empty>
            )
          )}
        </Card>
        <div class="stack">
          <Card title="Next runs" hint="in your time zone">
            <Facts
              facts={value.nextRuns.map(at => ({
                name: ago(at),
                value: <time dateTime={at}>{momentInFull(at)}</time>,
              }))}
            />
          </Card>
          <Card title="Its job">
            <Code label="The body of the job" text={JSON.stringify(value.job, null, 2)} />
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
          <p>The list of its runs goes with it; their jobs stay.</p>
        </Confirm>
      )}
    </>
  )
}

const outcomes: Record<string, Tone> = { started: 'ok', waiting: 'info', skipped: 'idle', failed: 'bad' }

const columns: Array<Column<ScheduleRunShown>> = [
  {
    name: 'Due',
    width: '150px',
    show: ({ tick }) => (
      <time dateTime={tick} title={momentInFull(tick)}>
        {moment(tick)}
      </time>
    ),
  },
  {
    name: 'Outcome',
    width: '110px',
    show: ({ outcome }) => <Badge tone={outcomes[outcome] ?? 'idle'}>{outcome}</Badge>,
  },
  {
    name: 'Job',
    width: 'minmax(140px, 1fr)',
    show: ({ jobId, reason }) =>
      jobId ? <a href={to(['jobs', jobId])}>{jobId}</a> : <span class="muted">{reason}</span>,
  },
]

/** Null while there are no two runs to compare. */
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
      <Card title="What changed since the last run">
        {isLoading ? (
          <Loading rows={2} />
        ) : (
          <Empty icon="again" title="Nothing to compare yet">
            After two runs that ended, their records are compared here.
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
        title="What changed since the last run"
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
          <div class="scroll-x">
            <table>
              <tbody>
                {items.map(item => (
                  <tr key={`${item.difference} ${item.itemId}`}>
                    <td>
                      <Badge
                        tone={
                          { new: 'ok', changed: 'info', gone: 'bad', unchanged: 'idle' }[
                            item.difference
                          ] as Tone
                        }
                      >
                        {item.difference}
                      </Badge>
                    </td>
                    <td class="wrap">{item.url}</td>
                    <td class="wrap">
                      <Difference item={item} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Card>
    </>
  )
}

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
