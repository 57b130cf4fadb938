// Proposals after a click in the page: the list around the element, further fields, the next page, and the item pages.
import type { PickAnswer, ProposedField, ProposedList } from '../../api.ts'
import { several } from '../../format.ts'
import { Button, CheckField } from '../../ui/parts.tsx'
import type { Draft } from './draft.ts'
import type { Picking } from './use-picking.ts'

interface OfferProps {
  picking: Picking
  draft: Draft
  onChange: (part: Partial<Draft>) => void
  onFollow: (detail: NonNullable<ProposedList['detail']>) => void
}

export function ListOffer(props: OfferProps) {
  const { answer, list } = props.picking
  if (answer && props.draft.each === '' && answer.lists.length > 0)
    return <Question {...props} lists={answer.lists} />
  return answer && list ? <Agreed {...props} list={list} nextPage={answer.nextPage} /> : null
}

function Question({ picking, lists }: OfferProps & { lists: ProposedList[] }) {
  const [best, ...others] = lists
  const count = best!.rows.length
  return (
    <section class="offer" aria-label="A list was found">
      <b role="status">
        {count === 1
          ? 'This looks like a list with one item. Make one record per item?'
          : `${count} similar items. Make one record per item?`}
      </b>
      <div class="actions">
        <Button kind="primary" onClick={() => picking.agree(best!)}>
          One record each
        </Button>
        <Button onClick={picking.refuse}>Only this one</Button>
        {others.map(list => (
          <Button key={list.each} kind="ghost" label={list.each} onClick={() => picking.agree(list)}>
            {several(list.rows.length, 'other item')}
          </Button>
        ))}
      </div>
    </section>
  )
}

function Agreed(props: OfferProps & { list: ProposedList; nextPage: PickAnswer['nextPage'] }) {
  const { picking, draft, onChange, onFollow, list, nextPage } = props
  const taken = new Set(draft.fields.map(({ name }) => name))
  const others = list.others.filter(({ name }) => !taken.has(name))
  return (
    <section class="offer" aria-label="The list">
      <span role="status">
        <b>{several(list.rows.length, 'row')}</b>, one record each. Click further values in any row to add
        fields.
      </span>
      {others.length > 0 && (
        <div class="chips">
          <span class="muted">Also in these rows:</span>
          {others.map(field => (
            <Chip key={field.name} field={field} rows={list.rows.length} onAdd={() => picking.add(field)} />
          ))}
        </div>
      )}
      {nextPage && (
        <CheckField
          label={`follow the next pages, like ${pathOf(nextPage.url)}`}
          checked={draft.source === 'crawl' && draft.include.split('\n').includes(nextPage.include)}
          onChange={isOn =>
            onChange(isOn ? following(draft, nextPage.include) : { source: 'page', include: '' })
          }
        />
      )}
      {list.detail && (
        <div class="actions">
          <Button isSmall icon="outside" onClick={() => onFollow(list.detail!)}>
            Add fields from the page of each item
          </Button>
        </div>
      )}
    </section>
  )
}

const Chip = ({ field, rows, onAdd }: { field: ProposedField; rows: number; onAdd: () => void }) => (
  <button type="button" class="chip" title={field.example ?? ''} onClick={onAdd}>
    + {field.name}{' '}
    <span class="muted">
      {field.filled === rows ? 'all' : `${Math.round((field.filled / rows) * 100)} %`}
    </span>
  </button>
)

const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url)
  return pathname + search
}

/** Crawl settings to follow these links. The depth is high, because a list of a hundred pages is a hundred links deep. */
export const following = (draft: Draft, include: string): Partial<Draft> => ({
  ...{ source: 'crawl', depth: '1000' },
  include: [...new Set([...draft.include.split('\n').filter(Boolean), include])].join('\n'),
})
