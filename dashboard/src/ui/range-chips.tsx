// Buttons that select the time range of the numbers and charts on a page.
import type { ActivityRange } from '../api.ts'
import type { Place } from '../router.ts'

const ranges: Array<[ActivityRange, string]> = [
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days'],
]

/** The range in the URL. */
export const rangeIn = ({ query }: Place): ActivityRange =>
  ranges.find(([id]) => id === query.get('range'))?.[0] ?? '24h'

interface RangeChipsProps {
  range: ActivityRange
  onChange: (range: ActivityRange) => void
}

export const RangeChips = ({ range, onChange }: RangeChipsProps) => (
  <fieldset class="chips" aria-label="Time range">
    {ranges.map(([id, words]) => (
      <button key={id} type="button" class="chip" aria-pressed={id === range} onClick={() => onChange(id)}>
        {words}
      </button>
    ))}
  </fieldset>
)
