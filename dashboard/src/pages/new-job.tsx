// The form for a new job: load a page, click the fields, set options, copy it as code, see the plan, and start the job.
import { useEffect, useRef, useState } from 'preact/hooks'
import { messageOf, type Preview } from '../api.ts'
import type { PageProps } from '../app.tsx'
import { zoneName } from '../format.ts'
import { useSession, useSettled } from '../hooks.ts'
import { go } from '../router.ts'
import { PageHead } from '../ui/page-head.tsx'
import { Button, Card, CheckField, Code, CopyButton, Empty, Problem, Tabs, TextField } from '../ui/parts.tsx'
import { type Draft, emptyDraft, emptyField, jobOf, missingIn, rulesOf, scheduleOf } from './new-job/draft.ts'
import { following, ListOffer } from './new-job/list-offer.tsx'
import { Options } from './new-job/options.tsx'
import { PageView } from './new-job/page-view.tsx'
import { PlanDialog } from './new-job/plan.tsx'
import { Rules, type Tried } from './new-job/rules.tsx'
import { snippetsOf } from './new-job/snippets.ts'
import { usePicking } from './new-job/use-picking.ts'

export default function NewJobPage({ place }: PageProps) {
  const { may } = useSession()
  if (!may.submit)
    return (
      <Empty icon="key" title="Your key can only read">
        To create jobs, sign in with a key that has the scope <code>submit</code>.
      </Empty>
    )
  return <Playground startUrl={place.query.get('url') ?? ''} uploadId={place.query.get('upload')} />
}

function Playground({ startUrl, uploadId }: { startUrl: string; uploadId: string | null }) {
  const [draft, setDraft] = useState<Draft>(() => ({
    ...{ ...emptyDraft(zoneName()), url: startUrl },
    ...(uploadId !== null && { source: 'upload' as const, uploadId }),
  }))
  const [current, setCurrent] = useState<number | null>(null)
  const change = (part: Partial<Draft>) => setDraft(before => ({ ...before, ...part }))
  const look = useLook(draft)
  const tried = useTried(draft, look.preview)
  const nextId = useRef(1)
  const add = (): void => {
    const id = nextId.current++
    change({ fields: [...draft.fields, emptyField(id, `field_${id}`)] })
    setCurrent(null)
  }
  const picking = usePicking({
    ...{ draft, preview: look.preview, current, onCurrent: setCurrent, onChange: change },
  })
  const follow = (detail: { url: string; include: string }) => {
    // The list page only links to the items, so the records come from the item pages.
    change({ ...following(draft, detail.include), each: '', fields: [] })
    void look.start(undefined, detail.url)
  }
  return (
    <>
      <PageHead title="New job" sub="Load a page, click the values that you want, and start." />
      <Card>
        <LookBar draft={draft} look={look} onChange={change} />
        {look.problem && <Problem message={look.problem} />}
      </Card>
      <div class="split">
        <PageView
          preview={look.preview}
          isBusy={look.isBusy}
          marks={picking.marks}
          onPick={picking.pick}
          onRender={() => look.start('always', look.preview?.url)}
        />
        <div class="stack">
          <Rules
            fields={draft.fields}
            each={draft.each}
            {...{ current, tried }}
            preview={look.preview}
            onChange={fields => change({ fields })}
            onEach={each => change({ each })}
            onCurrent={setCurrent}
            onAdd={add}
          >
            {look.preview?.hasModel && <Describe onDescribe={picking.describe} />}
            {picking.problem && <Problem message={picking.problem} />}
            <ListOffer {...{ picking, draft }} onChange={change} onFollow={follow} />
          </Rules>
        </div>
      </div>
      <div class="split">
        <div class="stack">
          <Options draft={draft} onChange={change} />
        </div>
        <AsCode draft={draft} />
      </div>
      <StartBar draft={draft} />
    </>
  )
}

/** A text field for describing fields. Shown only if the operator configured a model. */
function Describe({ onDescribe }: { onDescribe: (prompt: string) => void }) {
  const [prompt, setPrompt] = useState('')
  return (
    <form
      class="url-bar"
      onSubmit={event => {
        event.preventDefault()
        onDescribe(prompt)
      }}
    >
      <TextField
        label="Describe what you want"
        placeholder="name, price and link of every product"
        value={prompt}
        onInput={setPrompt}
      />
      <Button type="submit" disabled={prompt.trim() === ''}>
        Propose
      </Button>
    </form>
  )
}

type Render = 'auto' | 'always'

interface Look {
  preview: Preview | null
  isBusy: boolean
  problem: string | null
  isRendered: boolean
  setRendered: (isRendered: boolean) => void
  /** Loads the page of the draft, or the given page, such as an item page. */
  start: (render?: Render, url?: string) => Promise<void>
}

function useLook({ url }: Draft): Look {
  const { client } = useSession()
  const [state, setState] = useState({
    preview: null as Preview | null,
    isBusy: false,
    problem: null as string | null,
  })
  const [isRendered, setRendered] = useState(false)
  const start = async (render: Render = isRendered ? 'always' : 'auto', page = url) => {
    setRendered(render === 'always')
    setState(before => ({ ...before, isBusy: true, problem: null }))
    try {
      const preview = await client.previews.create({ url: page, render })
      setState({ preview, isBusy: false, problem: null })
    } catch (error) {
      setState({ preview: null, isBusy: false, problem: messageOf(error) })
    }
  }
  return { ...state, isRendered, setRendered, start }
}

function LookBar({
  draft,
  look,
  onChange,
}: {
  draft: Draft
  look: Look
  onChange: (part: Partial<Draft>) => void
}) {
  const start = (event: Event) => {
    event.preventDefault()
    void look.start()
  }
  return (
    <form class="url-bar" onSubmit={start}>
      <TextField
        label="Address"
        type="url"
        isMono
        required
        placeholder="https://example.com/products"
        value={draft.url}
        onInput={url => onChange({ url })}
      />
      <CheckField label="with a browser" checked={look.isRendered} onChange={look.setRendered} />
      <Button type="submit" kind="primary" icon="search" disabled={look.isBusy || draft.url.trim() === ''}>
        {look.isBusy ? 'Loading…' : 'Load page'}
      </Button>
    </form>
  )
}

/** The records of the current rules, updated shortly after a change. */
function useTried(draft: Draft, preview: Preview | null): Tried | null {
  const { client } = useSession()
  const now = JSON.stringify(rulesOf(draft) ?? null)
  const rules = useSettled(now, 350)
  const [tried, setTried] = useState<(Tried & { rules: string }) | null>(null)
  const previewId = preview?.previewId
  useEffect(() => {
    if (!previewId) return setTried(null)
    const leaving = new AbortController()
    client.previews.extract(previewId, JSON.parse(rules) ?? undefined, { signal: leaving.signal }).then(
      ({ records }) => setTried({ records, problem: null, rules }),
      error => leaving.signal.aborted || setTried({ records: [], problem: messageOf(error), rules }),
    )
    return () => leaving.abort()
  }, [client, previewId, rules])
  // If the rules changed since the request, the result belongs to earlier rules, so it is not returned.
  return tried?.rules === now ? tried : null
}

const codeTabs = [
  { id: 'cli', name: 'CLI' },
  { id: 'curl', name: 'curl' },
  { id: 'typescript', name: 'TypeScript' },
] as const

function AsCode({ draft }: { draft: Draft }) {
  const [tab, setTab] = useState<(typeof codeTabs)[number]['id']>('cli')
  const shown = draft.url.trim() === '' ? { ...draft, url: 'https://example.com/' } : draft
  const text = snippetsOf(shown, location.origin)[tab]
  return (
    <section class="card">
      <div class="card-head">
        <h2>The job as code</h2>
        <span class="hint">without your key</span>
        <div class="card-actions">
          <CopyButton text={text} />
        </div>
      </div>
      <Tabs label="As code" tabs={codeTabs} now={tab} onChange={id => setTab(id as typeof tab)} />
      <div class="card-body">
        <Code label="The same job as code" text={text} />
      </div>
    </section>
  )
}

function StartBar({ draft }: { draft: Draft }) {
  const { client } = useSession()
  const [problem, setProblem] = useState<string | null>(null)
  const [isPlanning, setPlanning] = useState(false)
  const missing = missingIn(draft)
  const isScheduled = draft.cron.trim() !== ''
  const action = isScheduled ? 'Create the schedule' : 'Start the job'
  const start = async () => {
    setProblem(null)
    setPlanning(false)
    try {
      if (isScheduled) {
        const { scheduleId } = await client.schedules.create(scheduleOf(draft))
        go(['schedules', scheduleId])
      } else {
        const { jobId } = await client.jobs.create(jobOf(draft))
        go(['jobs', jobId])
      }
    } catch (error) {
      setProblem(messageOf(error))
    }
  }
  return (
    <div class="stack">
      {problem && <Problem message={problem} />}
      <div class="sticky-foot">
        <span class="muted">
          {missing ?? (isScheduled ? 'The job runs by its schedule.' : 'The job starts at once.')}
        </span>
        <Button disabled={missing !== null} onClick={() => setPlanning(true)}>
          Plan
        </Button>
        <Button kind="primary" icon="play" disabled={missing !== null} onClick={start}>
          {action}
        </Button>
      </div>
      {isPlanning && (
        <PlanDialog job={jobOf(draft)} action={action} onClose={() => setPlanning(false)} onStart={start} />
      )}
    </div>
  )
}
