// The table of schedules or monitors: name, times, and whether it is active.
import { cronSentence } from '../cron-words.ts'
import type { Column } from '../virtual-list.tsx'
import { Badge, Time } from './parts.tsx'

interface ByTheClock {
  cron: string
  timeZone: string
  paused: boolean
  nextAt: string | null
}

export const OnOff = ({ paused }: Pick<ByTheClock, 'paused'>) => (
  <Badge tone={paused ? 'warn' : 'ok'}>{paused ? 'paused' : 'on'}</Badge>
)

export const nameColumn = <Row,>(
  name: string,
  of: (row: Row) => { id: string; name: string | null; href: string },
): Column<Row> => ({
  name,
  width: 'minmax(180px, 1.5fr)',
  show: row => {
    const { id, name, href } = of(row)
    return (
      <span class="two-lines">
        <a class="strong" href={href}>
          {name || id}
        </a>
        <small>{id}</small>
      </span>
    )
  },
})

export const clockColumns = (next: string): Array<Column<ByTheClock>> => [
  {
    name: 'When',
    width: 'minmax(170px, 220px)',
    show: ({ cron, timeZone }) => (
      <span class="two-lines" title={cron}>
        {cronSentence(cron) ?? <code>{cron}</code>}
        <small>{timeZone}</small>
      </span>
    ),
  },
  { name: 'State', width: '100px', show: OnOff },
  {
    name: next,
    width: '120px',
    show: ({ nextAt, paused }) =>
      paused ? <span class="muted">when resumed</span> : <Time at={nextAt} isFuture />,
  },
]
