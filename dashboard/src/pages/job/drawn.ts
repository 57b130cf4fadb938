// The outcomes of a job over time, as data for charts.
import type { JobTimeline } from '../../api.ts'
import type { Series } from '../../series.ts'
import { outcomeTone } from '../../state-words.ts'

export interface Drawn {
  /** The times of the values, in epoch seconds. */
  times: number[]
  pace: Series[]
  outcomes: Series[]
}

/** One point of the chart: several consecutive steps of the timeline. */
interface Slot {
  atMs: number
  spanMs: number
  byReason: Record<string, number>
}

const mostSlots = 60
const leastSlots = 8
/** Minimum number of attempts per point, on average. With fewer, random variation would make the curve jagged. */
const wantedInSlot = 3

export function drawnOf(timeline: JobTimeline, isOver: boolean): Drawn {
  const slots = slotsOf(timeline, isOver)
  const sums = slots.map(({ byReason }) => sumOf(Object.values(byReason)))
  const perSecond = slots.map(({ spanMs }, index) => sums[index]! / (spanMs / 1_000))
  return {
    times: slots.map(({ atMs }) => atMs / 1_000),
    pace: [{ name: 'attempts/s', colour: '--accent', values: perSecond }],
    outcomes: outcomesOf(slots),
  }
}

/** Joins steps to points of the chart. Steps without events are included, so that a pause is visible. */
function slotsOf({ steps: all, stepMs }: JobTimeline, isOver: boolean): Slot[] {
  // The last step of a running job is incomplete, so its count would look like a drop.
  const steps = isOver || all.length < 3 ? all : all.slice(0, -1)
  if (steps.length === 0) return []
  const firstMs = Date.parse(steps[0]!.at)
  const placeOf = (at: string) => Math.round((Date.parse(at) - firstMs) / stepMs)
  const length = placeOf(steps.at(-1)!.at) + 1
  const size = stepsInSlot(length, sumOf(steps.map(({ byReason }) => sumOf(Object.values(byReason)))))
  const slots = Array.from(
    { length: Math.ceil(length / size) },
    (_, index): Slot => ({
      atMs: firstMs + index * size * stepMs,
      spanMs: Math.min(size, length - index * size) * stepMs,
      byReason: {},
    }),
  )
  for (const { at, byReason } of steps) add(slots[Math.floor(placeOf(at) / size)]!.byReason, byReason)
  return slots.length === 1 ? withMargins(slots[0]!) : slots
}

function stepsInSlot(length: number, attempts: number): number {
  const forFew = Math.min((wantedInSlot * length) / Math.max(1, attempts), length / leastSlots)
  return Math.max(1, Math.ceil(length / mostSlots), Math.floor(forFew))
}

/** Adds an empty point before and after a single point, because a chart of one point has no width. */
const withMargins = (slot: Slot): Slot[] =>
  [-1, 0, 1].map(index => ({
    ...slot,
    atMs: slot.atMs + index * slot.spanMs,
    byReason: index === 0 ? slot.byReason : {},
  }))

const mostReasons = 6
const colours: Record<string, string[]> = {
  ok: ['--bar-ok'],
  bad: ['--bar-bad', '--bar-plum', '--bad'],
  warn: ['--bar-amber', '--bar-info'],
  idle: ['--bar-idle', '--line-strong'],
  info: ['--bar-info'],
}

function outcomesOf(slots: readonly Slot[]): Series[] {
  const totals: Record<string, number> = {}
  for (const { byReason } of slots) add(totals, byReason)
  const ranked = Object.keys(totals).sort((one, other) => totals[other]! - totals[one]!)
  const colourOf = colourChooser()
  const series = ranked.slice(0, mostReasons).map(name => ({
    ...{ name, colour: colourOf(name) },
    values: slots.map(({ byReason }) => byReason[name] ?? 0),
  }))
  const rest = ranked.slice(mostReasons)
  if (rest.length === 0) return series
  const others = slots.map(({ byReason }) => sumOf(rest.map(name => byReason[name] ?? 0)))
  return [...series, { name: 'others', colour: '--line-strong', values: others }]
}

/** Chooses a colour by the kind of a reason. Each further reason of a kind gets the next colour. */
function colourChooser(): (reason: string) => string {
  const used: Record<string, number> = {}
  return reason => {
    const tone = outcomeTone(reason)
    const palette = colours[tone]!
    used[tone] = (used[tone] ?? -1) + 1
    return palette[used[tone] % palette.length]!
  }
}

function add(totals: Record<string, number>, more: Record<string, number>): void {
  for (const [reason, times] of Object.entries(more)) totals[reason] = (totals[reason] ?? 0) + times
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)
