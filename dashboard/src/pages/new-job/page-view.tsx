// The previewed page: clickable, as text, markdown and HTML, and as an image.
import { useState } from 'preact/hooks'
import type { Preview } from '../../api.ts'
import { bytes, several, span } from '../../format.ts'
import { useLoad, useSession } from '../../hooks.ts'
import { Badge, Button, Code, Empty, Loading, Problem, Tabs } from '../../ui/parts.tsx'
import { Picture } from '../../ui/picture.tsx'
import { type Marks, Picker } from './picker.tsx'

interface PageViewProps {
  preview: Preview | null
  isBusy: boolean
  marks: Marks
  onPick: (node: number) => void
  onRender: () => void
}

const tabs = [
  { id: 'pick', name: 'Pick' },
  { id: 'text', name: 'Text' },
  { id: 'markdown', name: 'Markdown' },
  { id: 'html', name: 'HTML' },
  { id: 'screenshot', name: 'Screenshot' },
]

export function PageView({ preview, isBusy, marks, onPick, onRender }: PageViewProps) {
  const { client } = useSession()
  const [tab, setTab] = useState('pick')
  if (!preview)
    return (
      <section class="card">
        <Empty icon="search" title={isBusy ? 'Fetching the page…' : 'No page loaded yet'}>
          {isBusy
            ? 'robots.txt and the rate of the host apply, as for any page of a job.'
            : 'Paste an address above and press Load page. The page is shown here as text, markdown, HTML and image; click in it to choose fields.'}
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
            <Empty title="No text">
              The response has {preview.contentType ? `the type ${preview.contentType}` : 'no content type'}.
            </Empty>
          ) : (
            <PickView key={preview.previewId} {...{ preview, marks, onPick, onRender }} />
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
              <Button onClick={onRender}>Load with a browser</Button>
            </Empty>
          ))}
      </div>
    </section>
  )
}

/** The page as it looks, for clicking. If the page is empty because it was not loaded in a browser, a note says so. */
function PickView(props: Pick<PageViewProps, 'marks' | 'onPick' | 'onRender'> & { preview: Preview }) {
  const { preview, marks, onPick, onRender } = props
  const { client } = useSession()
  const look = useLoad(() => client.previews.look(preview.previewId), [preview.previewId])
  if (look.problem) return <Problem message={look.problem} retry={look.reload} />
  if (!look.value) return <Loading rows={6} />
  const { shell, missing } = look.value
  return (
    <>
      {preview.renderedWhy && (
        <div class="note" role="status">
          The page is empty without a browser, so a browser loaded it: {preview.renderedWhy}.
        </div>
      )}
      {shell && preview.way === 'http' && (
        <div class="note" role="status">
          The page is empty without scripts: {shell}. <Button onClick={onRender}>Load with a browser</Button>
        </div>
      )}
      <Picker look={look.value} marks={marks} onPick={onPick} />
      {missing > 0 && <p class="hint">{several(missing, 'file')} of the page could not be loaded.</p>}
    </>
  )
}
