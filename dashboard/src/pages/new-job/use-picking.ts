// Turns clicks in the page into fields. The service decides what a click selects. Its proposals are stored beside the draft.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import {
  messageOf,
  type PickAnswer,
  type PickRequest,
  type Preview,
  type ProposedField,
  type ProposedList,
} from '../../api.ts'
import { useSession } from '../../hooks.ts'
import { type Draft, emptyField, type FieldDraft, isXPath } from './draft.ts'
import type { Marks } from './picker.tsx'

export interface Picking {
  /** The answer to the last click; null before the first one. */
  answer: PickAnswer | null
  /** The list whose rows the draft uses; null if it uses none. */
  list: ProposedList | null
  isBusy: boolean
  problem: string | null
  marks: Marks
  pick: (node: number) => void
  /** Accepts a list: one record for each of its rows. */
  agree: (list: ProposedList) => void
  /** Declines lists: one record for the whole page. No list is proposed until the next page is loaded. */
  refuse: () => void
  add: (field: ProposedField) => void
  describe: (prompt: string) => void
}

interface PickingProps {
  draft: Draft
  preview: Preview | null
  /** The id of the field that the next click fills in. */
  current: number | null
  onCurrent: (id: number | null) => void
  onChange: (part: Partial<Draft>) => void
}

export function usePicking({ draft, preview, current, onCurrent, onChange }: PickingProps): Picking {
  const { client } = useSession()
  const [answer, setAnswer] = useState<PickAnswer | null>(null)
  const [state, setState] = useState({ isBusy: false, problem: null as string | null })
  const isRefused = useRef(false)
  const nextId = useRef(1_000)
  const previewId = preview?.previewId
  useEffect(() => {
    setAnswer(null)
    isRefused.current = false
    // Element numbers are valid only in one page, so they are removed. The selectors stay.
    if (draft.fields.some(({ examples }) => examples.length > 0))
      onChange({ fields: draft.fields.map(field => ({ ...field, examples: [] })) })
  }, [previewId])
  const list = answer?.lists.find(({ each }) => each === draft.each) ?? null
  const names = draft.fields.map(({ name }) => name)
  const shown = (list ? [...list.fields, ...list.others] : (answer?.page ?? [])).filter(({ name }) =>
    names.includes(name),
  )
  const marks = useMemo<Marks>(
    () => ({
      rows: (list ?? (draft.each === '' && !isRefused.current ? answer?.lists[0] : undefined))?.rows ?? [],
      fields: shown.flatMap(({ nodes }) => nodes.filter(node => node >= 0)),
    }),
    [answer, list, names.join()],
  )
  // Clicks may arrive faster than answers, so they are queued. Each request uses the result of the previous request.
  const latest = useRef({ draft, current })
  latest.current = { draft, current }
  const queue = useRef(Promise.resolve())
  const take = (found: readonly ProposedField[], each: string, part: Partial<Draft> = {}) => {
    const fields = merged(latest.current.draft.fields, found, () => nextId.current++)
    latest.current = { draft: { ...latest.current.draft, ...part, each, fields }, current: null }
    onChange({ ...part, each, fields })
  }
  const ask = async (question: () => Promise<PickAnswer>, use: (answer: PickAnswer) => void) => {
    setState({ isBusy: true, problem: null })
    try {
      const found = await question()
      setAnswer(found)
      use(found)
      setState({ isBusy: false, problem: null })
    } catch (error) {
      setState({ isBusy: false, problem: messageOf(error) })
    }
  }
  const request = (node: number): PickRequest => {
    const { draft, current } = latest.current
    const into = draft.fields.find(({ id }) => id === current)?.name
    return {
      ...{ node, fields: draft.fields.map(known) },
      ...(draft.each !== '' && { each: draft.each }),
      ...(into !== undefined && { into }),
    }
  }
  const pickOne = (node: number) =>
    ask(
      () => client.previews.pick(previewId!, request(node)),
      found => {
        onCurrent(null)
        const rows = latest.current.draft.each === '' ? undefined : found.lists[0]
        if (rows) take(rows.fields, rows.each)
        else take(found.page, '')
      },
    )
  const pick = (node: number) => {
    queue.current = queue.current.then(() => pickOne(node))
  }
  return {
    ...{
      answer: isRefused.current && answer ? { ...answer, lists: [] } : answer,
      list,
      marks,
      ...state,
      pick,
    },
    agree: chosen => {
      const isUntouched = draft.source === 'crawl' && draft.include === ''
      take(chosen.fields, chosen.each, isUntouched ? { source: 'page' } : {})
    },
    refuse: () => {
      isRefused.current = true
      setAnswer(before => before && { ...before, lists: [] })
    },
    add: field => take([field], draft.each),
    describe: prompt =>
      void ask(
        () => client.previews.describe(previewId!, prompt),
        ({ lists, page }) =>
          lists[0] ? take(lists[0].fields, lists[0].each, { source: 'page' }) : take(page, ''),
      ),
  }
}

const known = ({ name, css, attr, examples }: FieldDraft) => ({
  ...{ name, examples, ...(attr !== '' && { attr }) },
  ...(isXPath(css) ? { xpath: css } : { css }),
})

/** Updates existing fields with the selectors that the service found, then adds new fields. Other settings of a field stay. */
function merged(
  fields: readonly FieldDraft[],
  found: readonly ProposedField[],
  nextId: () => number,
): FieldDraft[] {
  const byName = new Map(found.map(field => [field.name, field]))
  const changed = fields.map(field => {
    const now = byName.get(field.name)
    byName.delete(field.name)
    return now ? { ...field, ...selectorOf(now) } : field
  })
  const added = [...byName.values()].map(field => ({
    ...emptyField(nextId(), field.name),
    ...selectorOf(field),
    ...{ as: field.as === 'location' ? '' : (field.as ?? ''), many: field.many ?? false },
  }))
  return [...changed, ...(added as FieldDraft[])]
}

const selectorOf = ({ css, xpath, attr, examples }: ProposedField) => ({
  ...{ css: css ?? xpath ?? '', attr: attr ?? '', examples },
})
