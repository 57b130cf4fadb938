// Running browsers: small images that refresh, and a large one to watch and control.
import { useRef, useState } from 'preact/hooks'
import { type BrowserInUse, type BrowserView, messageOf } from '../api.ts'
import type { PageProps } from '../app.tsx'
import { several } from '../format.ts'
import { useEvery, useLoad, useSession } from '../hooks.ts'
import { go, to } from '../router.ts'
import { PageHead } from '../ui/page-head.tsx'
import {
  Badge,
  Button,
  Card,
  Empty,
  Facts,
  Loading,
  Problem,
  TextField,
  Time,
  WebLink,
} from '../ui/parts.tsx'
import { LivePicture } from './browsers/live-picture.tsx'

const thumbnailScale = 0.25

export default function BrowsersPage({ place }: PageProps) {
  const [, browserId] = place.path
  return browserId === undefined ? <AllBrowsers /> : <OneBrowser key={browserId} browserId={browserId} />
}

function AllBrowsers() {
  const { client, may } = useSession()
  const { value, problem, reload } = useLoad(() => client.browsers.list(), [client])
  useEvery(2_000, reload)
  if (problem && !value) return <Problem message={problem} retry={reload} />
  if (!value) return <Loading />
  const { browsers, waiting } = value
  return (
    <>
      <PageHead
        title="Browsers"
        sub={`${several(browsers.length, 'page')} in use${waiting.length > 0 ? `, ${several(waiting.length, 'client')} in the queue` : ''}`}
      />
      {problem && <Problem message={problem} retry={reload} />}
      {browsers.length === 0 && (
        <Card>
          <Empty icon="eye" title="No browser is in use">
            <span>
              Jobs that render pages appear here while a page is open, and clients that connect to{' '}
              <code>/cdp</code> or <code>/playwright</code>.
            </span>
          </Empty>
        </Card>
      )}
      <div class="browsers">
        {browsers.map(browser => (
          <Thumbnail key={browser.browserId} browser={browser} isShown={may.watch} />
        ))}
      </div>
    </>
  )
}

function Thumbnail({ browser, isShown }: { browser: BrowserInUse; isShown: boolean }) {
  const { browserId, url, jobId, step, paused, kind } = browser
  const { client } = useSession()
  const look = async () => (isShown ? client.browsers.view(browserId, { scale: thumbnailScale }) : null)
  const { value, reload } = useLoad(look, [client, browserId])
  useEvery(2_000, reload, isShown)
  return (
    <a class="browser" href={to(['browsers', browserId])}>
      <LivePicture view={value} alt={`The page ${url}`} />
      <span class="browser-about">
        <b class="browser-line">{value?.title || url}</b>
        <span class="browser-line">{url}</span>
        <span class="browser-line">
          {kind === 'connection' ? 'controlled by a client' : `job ${jobId}`}
          {step && ` · ${step}`} {paused && <Badge tone="warn">paused</Badge>}
        </span>
      </span>
    </a>
  )
}

function OneBrowser({ browserId }: { browserId: string }) {
  const { client, may, say } = useSession()
  const list = useLoad(() => client.browsers.list(), [client])
  const { value: view, problem, reload } = useLoad(() => client.browsers.view(browserId), [client, browserId])
  useEvery(2_000, reload, may.watch)
  useEvery(4_000, list.reload)
  const browser = list.value?.browsers.find(one => one.browserId === browserId)
  const last = useRef<Promise<unknown>>(Promise.resolve())
  // Actions run one after another, so that keys arrive in typed order, and before the job continues with the page.
  const act = async (work: () => Promise<void>, done?: string) => {
    const mine = last.current.then(work)
    last.current = mine.catch(() => {})
    try {
      await mine
      if (done) say(done)
      reload()
    } catch (error) {
      say(messageOf(error), 'bad')
    }
  }
  const crumbs = [['Browsers', '#/browsers']] as const
  if (problem && !view)
    return (
      <>
        <PageHead crumbs={[...crumbs]} title="Browser" />
        <Problem message={problem} retry={reload} />
      </>
    )
  if (!view) return <Loading rows={6} />
  const isPaused = view.paused
  return (
    <>
      <PageHead
        crumbs={[...crumbs]}
        title={view.title || 'Browser'}
        badges={
          isPaused ? <Badge tone="warn">paused: you control it</Badge> : <Badge tone="ok">running</Badge>
        }
        sub={<WebLink url={view.url} />}
      >
        {isPaused ? (
          <Button
            icon="play"
            kind="primary"
            onClick={() => act(() => client.browsers.resume(browserId), 'Handed back')}
          >
            Hand back
          </Button>
        ) : (
          <Button
            icon="pause"
            kind="primary"
            disabled={!may.submit}
            onClick={() => act(() => client.browsers.pause(browserId))}
          >
            Take over
          </Button>
        )}
        {browser?.kind === 'connection' && (
          <Button
            icon="stop"
            kind="danger"
            onClick={() => act(() => client.browsers.end(browserId).then(() => go(['browsers'])), 'Ended')}
          >
            End
          </Button>
        )}
      </PageHead>
      {isPaused && (
        <div class="note">
          Click into the image and type. The task or the client waits, and continues when you resume the page.
        </div>
      )}
      <Card title="Live" isFlush>
        <LivePicture
          view={view}
          alt={`The page ${view.url}`}
          onInput={isPaused ? input => act(() => client.browsers.input(browserId, input)) : undefined}
        />
      </Card>
      <div class="grid">
        <About browser={browser} view={view} />
        <SaveLogin
          save={name => act(() => client.browsers.saveSession(browserId, name), `Saved as ${name}`)}
        />
      </div>
      <Card title="Console" hint={several(view.console.length, 'line')}>
        {view.console.length === 0 ? (
          <Empty icon="columns" title="The console is empty" />
        ) : (
          <pre class="console">{view.console.join('\n')}</pre>
        )}
      </Card>
    </>
  )
}

function About({ browser, view }: { browser: BrowserInUse | undefined; view: BrowserView }) {
  return (
    <Card title="What it does">
      <Facts
        facts={[
          { name: 'Job', value: browser ? <a href={to(['jobs', browser.jobId])}>{browser.jobId}</a> : '–' },
          { name: 'Driven by', value: browser?.kind === 'connection' ? 'a client' : 'a task' },
          { name: 'Step', value: view.step ?? '–' },
          { name: 'Open since', value: browser ? <Time at={browser.openedAt} /> : '–' },
          { name: 'Window', value: `${view.width} × ${view.height}` },
        ]}
      />
    </Card>
  )
}

function SaveLogin({ save }: { save: (name: string) => Promise<void> }) {
  const [name, setName] = useState('')
  return (
    <Card title="Save the login" hint="for jobs that name this session">
      <form
        class="row"
        onSubmit={event => {
          event.preventDefault()
          if (name !== '') void save(name)
        }}
      >
        <TextField
          label="Name of the session"
          placeholder="shop-login"
          value={name}
          onInput={text => setName(text.trim())}
        />
        <Button type="submit" disabled={name === ''}>
          Save session
        </Button>
      </form>
    </Card>
  )
}
