// The page that was looked at: to click in, as text, markdown, HTML, and as a picture.
import { useState } from 'preact/hooks'
import type { Preview } from '../../api.ts'
import { bytes, span } from '../../format.ts'
import { useSession } from '../../hooks.ts'
import { Badge, Button, Code, Empty, Tabs } from '../../ui/parts.tsx'
import { Picture } from '../../ui/picture.tsx'
import { type Picked, Picker } from './picker.tsx'

interface PageViewProps {
  preview: Preview | null
  isBusy: boolean
  marked: string
  onPick: (picked: Picked) => void
  onRender: () => void
}

const tabs = [
  { id: 'pick', name: 'Pick' },
  { id: 'text', name: 'Text' },
  { id: 'markdown', name: 'Markdown' },
  { id: 'html', name: 'HTML' },
  { id: 'screenshot', name: 'Screenshot' },
]

export function PageView({ preview, isBusy, marked, onPick, onRender }: PageViewProps) {
  const { client } = useSession()
  const [tab, setTab] = useState('pick')
  if (!preview)
    return (
      <section class="card">
        <Empty icon="search" title={isBusy ? 'Fetching the page…' : 'Nothing to look at yet'}>
          {isBusy
            ? 'Like any page of a job: robots.txt and the pace of its host hold.'
            : 'Paste an address above and press Look. The page is shown here as text, markdown, HTML and picture; click in it to take fields.'}
        </Empty>
      </section>
    )
  return (
    <section class="card" aria-busy={isBusy}>
      <div class="card-head">
        <Badge tone={preview.httpStatus < 400 ? 'ok' : 'bad'}>HTTP {preview.httpStatus}</Badge>
        <b class="clip">{preview.title ?? preview.finalUrl}</b>
        <span class="hint">
          {bytes(preview.bytes)} in {span(preview.durationMs)} ·{' '}
          {preview.way === 'browser' ? 'by browser' : 'plain HTTP'}
        </span>
      </div>
      <Tabs label="The page" tabs={tabs} now={tab} onChange={setTab} />
      <div class="card-body">
        {tab === 'pick' &&
          (preview.html === null ? (
            <Empty title="No text">What came back is {preview.contentType ?? 'of no known kind'}.</Empty>
          ) : (
            <Picker html={preview.html} marked={marked} onPick={onPick} />
          ))}
        {tab === 'text' && <Code label="Text" text={preview.text ?? ''} />}
        {tab === 'markdown' && <Code label="Markdown" text={preview.markdown ?? ''} />}
        {tab === 'html' && <Code label="HTML" text={preview.html ?? ''} />}
        {tab === 'screenshot' &&
          (preview.artifacts.includes('screenshot') ? (
            <Picture
              key={preview.previewId}
              alt={`Screenshot of ${preview.finalUrl}`}
              load={() => client.jobs.download(preview.previewId, preview.itemId, 'screenshot')}
            />
          ) : (
            <Empty icon="target" title="No screenshot">
              <span>The page was fetched without a browser.</span>
              <Button onClick={onRender}>Look again with a browser</Button>
            </Empty>
          ))}
      </div>
    </section>
  )
}
