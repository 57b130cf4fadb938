// The frame of the dashboard: the session, the navigation and the current page.
import type { ComponentType } from 'preact'
import { lazy, Suspense } from 'preact/compat'
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { forgetKey, keptKey, messageOf, openSession, type Session } from './api.ts'
import { type AppContext, SessionContext } from './hooks.ts'
import icon from './icon.svg'
import { SignIn } from './pages/sign-in.tsx'
import { type Place, usePlace } from './router.ts'
import { Side } from './side.tsx'
import { Boundary } from './ui/boundary.tsx'
import { Icon } from './ui/icons.tsx'
import { Card, Empty, LinkButton, Loading } from './ui/parts.tsx'

export type PageProps = { place: Place }

type Load = () => Promise<{ default: ComponentType<PageProps> }>
const page = (load: Load): ComponentType<PageProps> => lazy(load) as unknown as ComponentType<PageProps>

/** The pages by the first segment of the path. Rarely used pages are loaded on demand. */
const pages: Record<string, ComponentType<PageProps>> = {
  home: page(() => import('./pages/home.tsx')),
  activity: page(() => import('./pages/activity.tsx')),
  'all-jobs': page(() => import('./pages/jobs.tsx')),
  jobs: page(() => import('./pages/job.tsx')),
  new: page(() => import('./pages/new-job.tsx')),
  browsers: page(() => import('./pages/browsers.tsx')),
  hosts: page(() => import('./pages/hosts.tsx')),
  'do-not-crawl': page(() => import('./pages/do-not-crawl.tsx')),
  schedules: page(() => import('./pages/schedules.tsx')),
  monitors: page(() => import('./pages/monitors.tsx')),
  webhooks: page(() => import('./pages/webhooks.tsx')),
  workers: page(() => import('./pages/workers.tsx')),
  search: page(() => import('./pages/search.tsx')),
  uploads: page(() => import('./pages/uploads.tsx')),
  proxies: page(() => import('./pages/proxies.tsx')),
  sessions: page(() => import('./pages/sessions.tsx')),
  scrapers: page(() => import('./pages/scrapers.tsx')),
  keys: page(() => import('./pages/keys.tsx')),
  settings: page(() => import('./pages/settings.tsx')),
}

/** A demo service on this machine accepts requests without a key. */
const noKey = ''
const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(location.hostname)
const firstKey = (): string | null => keptKey() ?? (isLocal ? noKey : null)

export function App() {
  const [session, setSession] = useState<Session | null>(null)
  const [isReturning, setReturning] = useState(firstKey() !== null)
  const [why, setWhy] = useState<string | null>(null)
  useEffect(() => {
    const key = firstKey()
    if (key === null) return
    openSession(key)
      .then(setSession, error => key === noKey || setWhy(messageOf(error)))
      .finally(() => setReturning(false))
  }, [])
  const signOut = useCallback((reason?: string) => {
    forgetKey()
    setWhy(reason ?? null)
    setSession(null)
  }, [])
  if (isReturning) return <Loading rows={3} />
  if (!session) return <SignIn why={why} onSignIn={setSession} />
  return <Shell session={session} signOut={signOut} />
}

interface Toast {
  id: number
  message: string
  tone: 'ok' | 'bad'
}

function Shell({ session, signOut }: { session: Session; signOut: (why?: string) => void }) {
  const place = usePlace()
  const [isOpen, setOpen] = useState(false)
  const { toasts, say } = useToasts()
  const context = useMemo<AppContext>(() => ({ ...session, signOut, say }), [session, signOut, say])
  const main = useRef<HTMLElement>(null)
  const where = place.path.join('/')
  useEffect(() => {
    setOpen(false)
    main.current?.focus({ preventScroll: true })
    scrollTo(0, 0)
  }, [where])
  return (
    <SessionContext.Provider value={context}>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <div class="shell">
        <div class="top">
          <a class="brand" href="#/">
            <img src={icon} alt="" />
            K-Scrape Nexus
          </a>
          <button
            type="button"
            class="button ghost"
            aria-label="Menu"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name="menu" size={20} />
          </button>
        </div>
        <Side place={place} isOpen={isOpen} />
        <main class="main" ref={main} tabIndex={-1}>
          <Boundary key={place.path[0]}>
            <Suspense fallback={<Loading />}>
              <Page place={place} />
            </Suspense>
          </Boundary>
        </main>
      </div>
      <div class="toasts" aria-live="polite">
        {toasts.map(({ id, message, tone }) => (
          <div key={id} class={`toast ${tone}`}>
            {message}
          </div>
        ))}
      </div>
    </SessionContext.Provider>
  )
}

function Page({ place }: PageProps) {
  const [first = 'home', second] = place.path
  const name = first === 'jobs' && second === undefined ? 'all-jobs' : first
  const Chosen = pages[name]
  if (Chosen) return <Chosen key={name} place={place} />
  return (
    <Card>
      <Empty title="Page not found">
        <span>No page has this address.</span>
        <LinkButton href="#/jobs">All jobs</LinkButton>
      </Empty>
    </Card>
  )
}

const shownMs = 5_000

function useToasts() {
  const [toasts, setToasts] = useState<Toast[]>([])
  const next = useRef(1)
  const say = useCallback((message: string, tone: 'ok' | 'bad' = 'ok') => {
    const id = next.current++
    setToasts(before => [...before.slice(-2), { id, message, tone }])
    setTimeout(() => setToasts(before => before.filter(toast => toast.id !== id)), shownMs)
  }, [])
  return { toasts, say }
}
