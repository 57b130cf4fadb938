// The counts of a check, by page status.
import type { PageStatus } from '../../api.ts'
import { count } from '../../format.ts'
import type { Tone } from '../../state-words.ts'
import { Badge } from '../../ui/parts.tsx'

/** Colours of the page statuses, most important first. */
export const statusTones: Record<PageStatus, Tone> = {
  ...{ changed: 'info', new: 'ok', removed: 'bad', error: 'warn', same: 'idle' },
}

export const statuses = Object.keys(statusTones) as PageStatus[]

export const Counts = ({ counts }: { counts: Record<PageStatus, number> }) => {
  const there = statuses.filter(status => counts[status] > 0)
  if (there.length === 0) return <span class="muted">no pages</span>
  return (
    <span class="tags">
      {there.map(status => (
        <Badge key={status} tone={statusTones[status]}>
          {count(counts[status])} {status}
        </Badge>
      ))}
    </span>
  )
}
