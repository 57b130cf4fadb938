// One task: its attempts over time, requests and responses, results, and a hint what to do next.
import { useState } from 'preact/hooks'
import type { Exchange, Item } from '../api.ts'
import { messageOf } from '../api.ts'
import { saveDownload } from '../download.ts'
import { bytes, cell, count, span } from '../format.ts'
import { useLoad, useSession } from '../hooks.ts'
import { to } from '../router.ts'
import { outcomeTone, taskWords } from '../state-words.ts'
import { PageHead, Unknown } from '../ui/page-head.tsx'
import {
  Badge,
  Button,
  Card,
  Code,
  Empty,
  Facts,
  Loading,
  Problem,
  Tabs,
  Time,
  WebLink,
} from '../ui/parts.tsx'
import { Picture } from '../ui/picture.tsx'
import { ShortTable } from '../ui/tables.tsx'
import { FilmStrip, isStep } from './task/film-strip.tsx'
import { nextStep } from './task/next-step.ts'
import { Timeline } from './task/timeline.tsx'

export function TaskPage({ jobId, itemId }: { jobId: string; itemId: string }) {
  const { client } = useSession()
  const item = useLoad(() => client.jobs.item(jobId, itemId), [client, jobId, itemId])
  const exchange = useLoad(
    () => client.jobs.exchange(jobId, itemId).catch(() => ({ taskId: '', exchanges: [] as Exchange[] })),
    [client, jobId, itemId],
  )
  if (item.problem && !item.value) {
    const above = [jobId, to(['jobs', jobId])] as const
    return <Unknown above={above} id={itemId} problem={item.problem} retry={item.reload} />
  }
  if (!item.value) return <Loading rows={6} />
  const task = item.value
  return (
    <>
      <PageHead
        crumbs={[
          ['Jobs', '#/jobs'],
          [jobId, to(['jobs', jobId])],
          ['Tasks', to(['jobs', jobId], { tab: 'tasks' })],
        ]}
        title={task.itemId}
        badges={
          <>
            <Badge state={taskWords(task.status)} />
            {task.reason && <Badge tone={outcomeTone(task.reason)}>{task.reason}</Badge>}
          </>
        }
        sub={<WebLink url={task.url} />}
      >
        <Downloads jobId={jobId} task={task} />
      </PageHead>
      {task.reason && outcomeTone(task.reason) !== 'ok' && (
        <div class="note warn">
          <b>{task.message ?? task.reason}</b>
          <div>{nextStep(task.reason)}</div>
        </div>
      )}
      <Card title="Attempts" hint="time of each phase">
        <Timeline task={task} />
      </Card>
      <FilmStrip jobId={jobId} task={task} />
      <div class="grid">
        <Records task={task} />
        <Content jobId={jobId} task={task} exchanges={exchange.value?.exchanges ?? null} />
      </div>
    </>
  )
}

function Downloads({ jobId, task }: { jobId: string; task: Item }) {
  const { client, say } = useSession()
  const save = async (artifact: string) => {
    try {
      await saveDownload(await client.jobs.download(jobId, task.itemId, artifact))
    } catch (error) {
      say(messageOf(error), 'bad')
    }
  }
  return (
    <>
      {task.artifacts
        .filter(artifact => !isStep(artifact))
        .map(artifact => (
          <Button key={artifact} isSmall icon="down" onClick={() => save(artifact)}>
            {artifact}
          </Button>
        ))}
    </>
  )
}

function Records({ task }: { task: Item }) {
  return (
    <Card title="Records" hint={`${count(task.records.length)} from this page`} isFlush>
      {task.records.length === 0 && (
        <Empty icon="columns" title="No record">
          {task.kind === 'sitemap'
            ? 'A sitemap lists pages; it gives no records itself.'
            : `The page gave no records${task.reason ? ` (${task.reason})` : ''}.`}
        </Empty>
      )}
      {task.records.map((record, index) => (
        <div key={index}>
          {record.warnings?.map(({ code, message }) => (
            <div key={code} class="note warn">
              {message} ({code})
            </div>
          ))}
          <ShortTable columns={fieldColumns} rows={fieldsOf(record)} keyOf={({ name }) => name} />
        </div>
      ))}
    </Card>
  )
}

interface ShownField {
  name: string
  value: unknown
  source: NonNullable<Item['records'][number]['provenance']>[string] | undefined
}

const fieldsOf = ({ data, provenance }: Item['records'][number]): ShownField[] =>
  Object.entries(data).map(([name, value]) => ({ name, value, source: provenance?.[name] }))

const fieldColumns = [
  { name: 'Field', show: ({ name }: ShownField) => <b>{name}</b> },
  {
    name: 'Value',
    isLong: true,
    show: ({ value }: ShownField) =>
      value === null ? <span class="muted">null</span> : clipped(cell(value)),
  },
  {
    name: 'Where from',
    isLong: true,
    show: ({ source }: ShownField) =>
      source && (
        <span class="muted">
          {source.from} {source.by}
          {(source.why ?? source.wrong) && <div>{source.why ?? source.wrong}</div>}
        </span>
      ),
  },
]

const clipped = (text: string): string => (text.length > 1_000 ? `${text.slice(0, 1_000)}…` : text)

interface ContentProps {
  jobId: string
  task: Item
  exchanges: Exchange[] | null
}

function Content({ jobId, task, exchanges }: ContentProps) {
  const { client } = useSession()
  const [tab, setTab] = useState('headers')
  const pictures = task.artifacts.filter(name => name.startsWith('screenshot'))
  const tabs = [
    { id: 'headers', name: 'Headers' },
    ...(task.artifacts.includes('html') ? [{ id: 'html', name: 'HTML' }] : []),
    ...pictures.map(id => ({ id, name: id })),
    ...(task.input === null ? [] : [{ id: 'input', name: 'Input' }]),
  ]
  return (
    <section class="card">
      <Tabs label="Stored files" tabs={tabs} now={tab} onChange={setTab} />
      <div class="card-body">
        {tab === 'headers' && (exchanges === null ? <Loading /> : <Headers exchanges={exchanges} />)}
        {tab === 'html' && <Source jobId={jobId} itemId={task.itemId} />}
        {tab === 'input' && <Code label="Input" text={JSON.stringify(task.input, null, 2)} />}
        {pictures.includes(tab) && (
          <Picture
            key={tab}
            alt={`Screenshot of ${task.url}`}
            load={() => client.jobs.download(jobId, task.itemId, tab)}
          />
        )}
      </div>
    </section>
  )
}

const mostShown = 500_000

function Source({ jobId, itemId }: { jobId: string; itemId: string }) {
  const { client } = useSession()
  const { value, problem, reload } = useLoad(
    async () => (await client.jobs.download(jobId, itemId, 'html')).text(),
    [client, jobId, itemId],
  )
  if (problem) return <Problem message={problem} retry={reload} />
  if (value === null) return <Loading />
  return (
    <Code
      label="HTML as stored"
      text={value.length > mostShown ? `${value.slice(0, mostShown)}\n…` : value}
    />
  )
}

function Headers({ exchanges }: { exchanges: Exchange[] }) {
  if (exchanges.length === 0)
    return (
      <Empty icon="book" title="Nothing is stored">
        No page was fetched, or retention has deleted it.
      </Empty>
    )
  return (
    <>
      {exchanges.map((exchange, index) => (
        <div key={index} class="stack">
          <Facts
            facts={[
              { name: 'Asked', value: `${exchange.method} ${exchange.url}` },
              ...exchange.hops.map(({ status, to }) => ({ name: `${status} to`, value: to })),
              { name: 'Answered', value: `${exchange.httpStatus} over HTTP/${exchange.httpVersion}` },
              { name: 'By', value: exchange.remoteAddress ?? '–' },
              { name: 'When', value: <Time at={exchange.startedAt} /> },
              { name: 'Took', value: span(Date.parse(exchange.endedAt) - Date.parse(exchange.startedAt)) },
              {
                name: 'Size',
                value: `${bytes(exchange.wireBytes)} on the wire, ${bytes(exchange.bodyBytes)} unpacked`,
              },
            ]}
          />
          <div>
            <h3>Request headers</h3>
            <Facts facts={exchange.requestHeaders} />
          </div>
          <div>
            <h3>Response headers</h3>
            <Facts facts={exchange.responseHeaders} />
          </div>
        </div>
      ))}
    </>
  )
}
