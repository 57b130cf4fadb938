// The do-not-crawl list, and opt-out requests of site owners.
import { useState } from 'preact/hooks'
import type { ListingShown } from '../api.ts'
import { useAct, useListing, useSession } from '../hooks.ts'
import type { Tone } from '../state-words.ts'
import { Confirm } from '../ui/dialog.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Badge, Button, Card, Empty, SelectField, TextField, Time } from '../ui/parts.tsx'
import { Listed } from '../ui/tables.tsx'
import type { Column } from '../virtual-list.tsx'

const tones: Record<string, Tone> = {
  approved: 'ok',
  proved: 'ok',
  refused: 'idle',
  requested: 'warn',
  pending: 'warn',
}

export default function DoNotCrawlPage() {
  const { client } = useSession()
  const did = useAct()
  const listings = useListing(() => client.doNotCrawl.list(), [client])
  const [removing, setRemoving] = useState<ListingShown | null>(null)
  const act = async (done: string, action: () => Promise<unknown>) => {
    await did(done, action)
    listings.reload()
  }
  const columns: Array<Column<ListingShown>> = [
    {
      name: 'Place',
      width: 'minmax(180px, 2fr)',
      show: ({ pattern, list }) => (
        <span class="two-lines">
          <b>{pattern}</b>
          <small>{list === 'deny' ? 'do not crawl' : 'allowed'}</small>
        </span>
      ),
    },
    {
      name: 'State',
      width: '120px',
      show: ({ status }) => <Badge tone={tones[status] ?? 'warn'}>{status}</Badge>,
    },
    {
      name: 'Why',
      width: 'minmax(160px, 2fr)',
      show: ({ reason, contact }) => (
        <span class="two-lines">
          <span>{reason ?? '–'}</span>
          {contact && <small>{contact}</small>}
        </span>
      ),
    },
    { name: 'Added', width: '100px', show: ({ createdAt }) => <Time at={createdAt} /> },
    { name: 'By', width: '110px', show: ({ decidedBy }) => decidedBy ?? '–' },
    {
      name: 'Actions',
      width: '230px',
      show: listing => (
        <div class="actions">
          {listing.decidedAt === null && (
            <>
              <Button
                isSmall
                onClick={() =>
                  act('The entry applies now.', () => client.doNotCrawl.approve(listing.listingId))
                }
              >
                Approve
              </Button>
              <Button
                isSmall
                onClick={() => act('Turned down.', () => client.doNotCrawl.refuse(listing.listingId))}
              >
                Refuse
              </Button>
            </>
          )}
          <Button
            isSmall
            kind="ghost"
            icon="trash"
            label={`Remove ${listing.pattern} from the list`}
            onClick={() => setRemoving(listing)}
          />
        </div>
      ),
    },
  ]
  return (
    <>
      <PageHead
        title="Do not crawl"
        sub={
          <>
            No job requests the hosts on this list, not even a running job. Site owners request an entry at{' '}
            <a href="/do-not-crawl/request" target="_blank" rel="noopener">
              /do-not-crawl/request
            </a>
            .
          </>
        }
      />
      <NewListing
        onAdd={entry => act(`${entry.pattern} is on the list.`, () => client.doNotCrawl.add(entry))}
      />
      <Card isFlush>
        <Listed
          label="Entries"
          listing={listings}
          columns={columns}
          keyOf={({ listingId }) => listingId}
          rowHeight={54}
          minWidth="900px"
        >
          <Empty icon="shield" title="The lists are empty">
            Enter a host above to exclude it from all jobs.
          </Empty>
        </Listed>
      </Card>
      {removing && (
        <Confirm
          title="Remove the entry?"
          action="Remove it"
          onClose={() => setRemoving(null)}
          onConfirm={() => act('The entry was removed.', () => client.doNotCrawl.delete(removing.listingId))}
        >
          <p>
            Jobs may request <b>{removing.pattern}</b> again.
          </p>
        </Confirm>
      )}
    </>
  )
}

interface NewEntry {
  pattern: string
  list: 'deny' | 'allow'
  reason?: string
}

function NewListing({ onAdd }: { onAdd: (entry: NewEntry) => Promise<void> }) {
  const [pattern, setPattern] = useState('')
  const [reason, setReason] = useState('')
  const [list, setList] = useState<'deny' | 'allow'>('deny')
  const add = async (event: Event) => {
    event.preventDefault()
    await onAdd({ pattern: pattern.trim(), list, ...(reason.trim() && { reason: reason.trim() }) })
    setPattern('')
    setReason('')
  }
  return (
    <Card>
      <form class="url-bar" onSubmit={add}>
        <TextField
          label="Place"
          isMono
          required
          value={pattern}
          onInput={setPattern}
          placeholder="*.example.com or example.com/path"
        />
        <TextField label="Why" value={reason} onInput={setReason} placeholder="the owner asked by e-mail" />
        <SelectField
          label="List"
          value={list}
          options={[
            ['deny', 'Do not crawl'],
            ['allow', 'Allow'],
          ]}
          onChange={setList}
        />
        <Button type="submit" kind="primary" icon="plus" disabled={pattern.trim() === ''}>
          Enter
        </Button>
      </form>
    </Card>
  )
}
