// Search: records of all jobs by their words and fields.
import { useState } from 'preact/hooks'
import type { FoundRecord } from '../api.ts'
import type { PageProps } from '../app.tsx'
import { headlineOf } from '../format.ts'
import { useListing, useSession, useSettled } from '../hooks.ts'
import { to } from '../router.ts'
import { PageHead } from '../ui/page-head.tsx'
import { Card, Empty, TextField, Time, UrlText, WebLink } from '../ui/parts.tsx'
import { SearchBox } from '../ui/search-box.tsx'
import { Listed } from '../ui/tables.tsx'
import type { Column } from '../virtual-list.tsx'

export default function SearchPage({ place }: PageProps) {
  const { client } = useSession()
  const [typed, setTyped] = useState(place.query.get('q') ?? '')
  const [host, setHost] = useState(place.query.get('host') ?? '')
  const asked = useSettled(JSON.stringify({ text: typed.trim(), host: host.trim() }), 300)
  const records = useListing<FoundRecord>(() => {
    const { text, host } = JSON.parse(asked) as { text: string; host: string }
    return client.search({ ...(text !== '' && { text }), ...(host !== '' && { host }) }, { pageSize: 100 })
  }, [client, asked])
  return (
    <>
      <PageHead title="Search" sub="Records of all your jobs, newest first." />
      <div class="toolbar">
        <SearchBox
          label="Find records"
          placeholder={'Words, "a phrase", begin*'}
          value={typed}
          onInput={setTyped}
        />
        <TextField label="Host" placeholder="shop.example" value={host} onInput={setHost} />
      </div>
      <Card isFlush>
        <Listed
          label="Records"
          listing={records}
          columns={columns}
          keyOf={row => `${row.jobId} ${row.taskId} ${records.entries.indexOf(row)}`}
          rowHeight={58}
          minWidth="860px"
        >
          {typed === '' && host === '' ? (
            <Empty icon="search" title="No records yet">
              Records of your jobs appear here. The newest ones may take a moment.
            </Empty>
          ) : (
            <Empty icon="search" title="No record matches">
              Search for other words. The newest records may take a moment.
            </Empty>
          )}
        </Listed>
      </Card>
    </>
  )
}

const columns: Array<Column<FoundRecord>> = [
  {
    name: 'Record',
    width: 'minmax(320px, 3fr)',
    show: ({ jobId, itemId, data, url }) => (
      <span class="two-lines">
        <a class="strong" href={to(['jobs', jobId, 'items', itemId])}>
          {headlineOf(data)}
        </a>
        <small>
          <WebLink url={url}>
            <UrlText url={url} />
          </WebLink>
        </small>
      </span>
    ),
  },
  {
    name: 'Job',
    width: 'minmax(160px, 1fr)',
    show: ({ jobId }) => <a href={to(['jobs', jobId])}>{jobId}</a>,
  },
  { name: 'Fetched', width: '150px', show: ({ fetchedAt }) => <Time at={fetchedAt} /> },
]
