// The playground: look at a page, click what is wanted, set how, copy it as code, see what it would do, and start.
import { useEffect, useRef, useState } from 'preact/hooks'
import { messageOf, type Preview } from '../api.ts'
import type { PageProps } from '../app.tsx'
import { zoneName } from '../format.ts'
import { useSession, useSettled } from '../hooks.ts'
import { go } from '../router.ts'
import { PageHead } from '../ui/page-head.tsx'
import { Button, Card, CheckField, Code, CopyButton, Empty, Problem, Tabs, TextField } from '../ui/parts.tsx'
import {
  type Draft,
  emptyDraft,
  type FieldDraft,
  jobOf,
  missingIn,
  rulesOf,
  scheduleOf,
} from './new-job/draft.ts'
import { Options } from './new-job/options.tsx'
import { PageView } from './new-job/page-view.tsx'
import type { Picked } from './new-job/picker.tsx'
import { PlanDialog } from './new-job/plan.tsx'
import { Rules, type Tried } from './new-job/rules.tsx'
import { snippetsOf } from './new-job/snippets.ts'

export default function NewJobPage({ place }: PageProps) {
  const { may } = useSession()
  if (!may.submit)
    return (
      <Empty icon="key" title="Your key can only look">
        To make jobs, sign in with a key that has the scope <code>submit</code>.
      </Empty>
    )
  return <Playground startUrl={place.query.get('url') ?? ''} />
}

function Playground({ startUrl }: { startUrl: string }) {
  const [draft, setDraft] = useState<Draft>(() => ({ ...emptyDraft(zoneName()), url: startUrl }))
  const [current, setCurrent] = useState<number | null>(null)
  const change = (part: Partial<Draft>) => setDraft(before => ({ ...before, ...part }))
  const look = useLook(draft)
  const tried = useTried(draft, look.preview)
  const nextId = useRef(1)
  const add = (part: Partial<FieldDraft> = {}): void => {
    const id = nextId.current++
    const field: FieldDraft = {
      id,
      name: '',
      css: '',
      attr: '',
      as: '',
      many: false,
      required: false,
      ...part,
    }
    setDraft(before => ({
      ...before,
      fields: [...before.fields, { ...field, name: field.name || `field_${id}` }],
    }))
    setCurrent(null)
  }
  const pick = (picked: Picked) => {
    const found = partOf(picked)
    if (current === null) return add({ ...found, name: freeName(draft.fields, nameFor(picked)) })
    const { css, attr = '', as = '' } = found
    change({
      fields: draft.fields.map(field => (field.id === current ? { ...field, css: css!, attr, as } : field)),
    })
    setCurrent(null)
  }
  const marked = draft.fields.find(({ id }) => id === current)?.css ?? draft.fields.at(-1)?.css ?? ''
  return (
    <>
      <PageHead title="New job" sub="Look at a page, click what you want of it, and start." />
      <Card>
        <LookBar draft={draft} look={look} onChange={change} />
        {look.problem && <Problem message={look.problem} />}
      </Card>
      <div class="split">
        <PageView
          preview={look.preview}
          isBusy={look.isBusy}
          marked={marked}
          onPick={pick}
          onRender={() => look.start(true)}
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
            onAdd={() => add()}
          />
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

interface Look {
  preview: Preview | null
  isBusy: boolean
  problem: string | null
  isRendered: boolean
  setRendered: (isRendered: boolean) => void
  start: (render?: boolean) => Promise<void>
}

function useLook({ url }: Draft): Look {
  const { client } = useSession()
  const [state, setState] = useState({
    preview: null as Preview | null,
    isBusy: false,
    problem: null as string | null,
  })
  const [isRendered, setRendered] = useState(false)
  const start = async (render = isRendered) => {
    setRendered(render)
    setState(before => ({ ...before, isBusy: true, problem: null }))
    try {
      const preview = await client.previews.create({ url, render })
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
        {look.isBusy ? 'Looking…' : 'Look'}
      </Button>
    </form>
  )
}

/** The record as the rules make it, a moment after they were changed. */
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
  // What other rules made says nothing about these.
  return tried?.rules === now ? tried : null
}

/** What an element most likely is wanted for. */
function partOf({ css, tag, attributes }: Picked): Partial<FieldDraft> {
  if (tag === 'img' && attributes.src) return { css, attr: 'src', as: 'url' }
  if (attributes['data-price'] || /price|cost/i.test(`${attributes.class} ${attributes.itemprop}`))
    return { css, as: 'money' }
  if (tag === 'time' && attributes.datetime) return { css, attr: 'datetime', as: 'date' }
  return { css }
}

/** From what it is called in the page, else from what it is. */
function nameFor({ tag, css, attributes }: Picked): string {
  const called =
    attributes.itemprop ??
    attributes['data-field'] ??
    attributes.name ??
    /[.#]([A-Za-z][\w-]*)[^.#]*$/.exec(css)?.[1]
  const plain = { h1: 'title', h2: 'heading', img: 'image', time: 'date', p: 'text', a: 'link' }[tag]
  return (called ?? plain ?? tag).replace(/[^A-Za-z0-9_]+/g, '_').replace(/^[^A-Za-z_]+/, '') || 'field'
}

function freeName(fields: readonly FieldDraft[], name: string): string {
  const taken = new Set(fields.map(field => field.name))
  for (let number = 1; ; number += 1) {
    const free = number === 1 ? name : `${name}_${number}`
    if (!taken.has(free)) return free
  }
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
        <h2>The same as code</h2>
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
  const action = isScheduled ? 'Make the schedule' : 'Start the job'
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
          {missing ?? (isScheduled ? 'It runs by its schedule.' : 'It starts at once.')}
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
