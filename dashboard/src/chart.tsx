// Charts over time, drawn by uPlot in the colours of the page. Loaded on demand.
import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { markOf } from './format.ts'
import type { Series } from './series.ts'
import { colourOf } from './theme.ts'

interface ChartProps {
  label: string
  /** The times of the values, in epoch seconds. */
  times: number[]
  series: Series[]
  /** Whether series are stacked, with the first one at the bottom. */
  isStacked?: boolean
  unit?: string
  height?: number
}

export default function Chart({
  label,
  times,
  series,
  isStacked = false,
  unit = '',
  height = 200,
}: ChartProps) {
  const box = useRef<HTMLDivElement>(null)
  const latest = useRef<{ plot: uPlot; shape: string } | null>(null)
  const [pointed, setPointed] = useState<number | null>(null)
  useEffect(() => {
    const element = box.current!
    const draw = () => {
      const data = dataOf(times, series, isStacked)
      const shape = series.map(({ name }) => name).join()
      if (latest.current?.shape === shape) return latest.current.plot.setData(data)
      latest.current?.plot.destroy()
      const size = { width: element.clientWidth, height }
      latest.current = {
        plot: new uPlot(optionsOf(series, isStacked, unit, size, setPointed), data, element),
        shape,
      }
    }
    draw()
    const redraw = () => {
      latest.current?.plot.destroy()
      latest.current = null
      draw()
    }
    addEventListener('themechange', redraw)
    return () => removeEventListener('themechange', redraw)
  }, [times, series, isStacked, unit, height])
  useEffect(() => {
    const resized = new ResizeObserver(([entry]) => {
      const width = Math.floor(entry!.contentRect.width)
      if (width > 0) latest.current?.plot.setSize({ width, height })
    })
    resized.observe(box.current!)
    return () => {
      resized.disconnect()
      latest.current?.plot.destroy()
      latest.current = null
    }
  }, [height])
  return (
    <div class="chart" ref={box} role="img" aria-label={label}>
      {pointed !== null && <Readout at={times[pointed]} series={series} index={pointed} unit={unit} />}
    </div>
  )
}

interface ReadoutProps {
  at: number | undefined
  series: readonly Series[]
  index: number
  unit: string
}

/** Shows the values under the pointer. */
function Readout({ at, series, index, unit }: ReadoutProps) {
  if (at === undefined) return null
  const told = series.filter(({ values }) => (values[index] ?? 0) > 0 || series.length === 1)
  return (
    <div class="readout">
      <b>{withSeconds.format(new Date(at * 1_000))}</b>
      {told.map(({ name, colour, values }) => (
        <span key={name}>
          <i style={{ background: `var(${colour})` }} /> {name} {exact.format(values[index] ?? 0)}
          {unit}
        </span>
      ))}
    </div>
  )
}

function dataOf(times: number[], series: readonly Series[], isStacked: boolean): uPlot.AlignedData {
  if (!isStacked) return [times, ...series.map(({ values }) => values)]
  const sums = times.map(() => 0)
  const stacked = series.map(({ values }) =>
    values.map((value, index) => {
      sums[index]! += value
      return sums[index]!
    }),
  )
  // The highest series is drawn first, because each series covers the lower part of the one before.
  return [times, ...stacked.reverse()]
}

function optionsOf(
  series: readonly Series[],
  isStacked: boolean,
  unit: string,
  size: { width: number; height: number },
  onPoint: (index: number | null) => void,
): uPlot.Options {
  const ink = colourOf('--ink-soft')
  const line = colourOf('--line')
  const axis = {
    stroke: ink,
    grid: { stroke: line, width: 1 },
    ticks: { stroke: line, width: 1 },
    font: '11px system-ui, sans-serif',
  }
  const drawn = isStacked ? series.toReversed() : series
  return {
    ...size,
    padding: [12, 28, 0, 0],
    legend: { show: false },
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
    cursor: { points: { size: 6 }, drag: { x: false, y: false } },
    scales: { x: { time: true }, y: { range: (_plot, _least, most) => [0, Math.max(1, most * 1.1)] } },
    axes: [
      {
        ...axis,
        space: 80,
        size: 34,
        incrs: [...timeSteps],
        values: (_plot, splits, _axis, _space, step) =>
          splits.map((at, index) => markOf(at, splits[index - 1], step)),
      },
      { ...axis, size: 56, values: (_plot, splits) => splits.map(value => `${short(value)}${unit}`) },
    ],
    series: [
      {},
      ...drawn.map(({ name, colour }) => {
        const stroke = colourOf(colour)
        return {
          label: name,
          stroke,
          width: isStacked ? 1 : 2,
          fill: filled(stroke, isStacked),
          points: { show: false },
        }
      }),
    ],
  }
}

/** Possible distances between two marks of the time axis, in seconds. Less than one second would repeat the same text. */
const timeSteps = [
  ...[1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800],
  ...[3_600, 7_200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800, 2_592_000],
]

const exact = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 })
const withSeconds = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })

const short = (value: number): string =>
  new Intl.NumberFormat(undefined, { notation: 'compact' }).format(value)

/** The fill colour of a series. Stacked areas are opaque, so that each hides the areas behind it. A single line has a faint
 *  area. */
const filled = (colour: string, isStacked: boolean): string =>
  isStacked ? colour : colour.replace(/^rgb\((.*)\)$/, 'rgb($1, 0.12)')
