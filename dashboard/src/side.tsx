// The navigation: only pages that the key may open, and the name of the key.
import { useState } from 'preact/hooks'
import { useSession } from './hooks.ts'
import icon from './icon.svg'
import type { Place } from './router.ts'
import { applyTheme, theme, themes } from './theme.ts'
import { Icon } from './ui/icons.tsx'
import { Button } from './ui/parts.tsx'

interface Entry {
  path: string
  name: string
  icon: string
  needs?: 'submit' | 'admin' | 'operate'
}

const work: Entry[] = [
  { path: '', name: 'Home', icon: 'home' },
  { path: 'jobs', name: 'Jobs', icon: 'jobs' },
  { path: 'new', name: 'New job', icon: 'plus', needs: 'submit' },
  { path: 'search', name: 'Search', icon: 'search' },
  { path: 'uploads', name: 'Uploads', icon: 'up', needs: 'submit' },
  { path: 'schedules', name: 'Schedules', icon: 'clock' },
  { path: 'monitors', name: 'Monitors', icon: 'eye' },
  { path: 'webhooks', name: 'Webhooks', icon: 'bell' },
  { path: 'scrapers', name: 'Scrapers', icon: 'book' },
  { path: 'browsers', name: 'Browsers', icon: 'play' },
]

const conduct: Entry[] = [
  { path: 'hosts', name: 'Hosts', icon: 'hosts', needs: 'operate' },
  { path: 'do-not-crawl', name: 'Do not crawl', icon: 'shield', needs: 'operate' },
]

const service: Entry[] = [
  { path: 'workers', name: 'Workers', icon: 'cpu', needs: 'operate' },
  { path: 'proxies', name: 'Proxies', icon: 'outside', needs: 'operate' },
  { path: 'sessions', name: 'Sessions', icon: 'out', needs: 'operate' },
  { path: 'keys', name: 'Keys', icon: 'key', needs: 'admin' },
  { path: 'settings', name: 'Settings', icon: 'sliders', needs: 'operate' },
]

export function Side({ place, isOpen }: { place: Place; isOpen: boolean }) {
  const { may, account, signOut } = useSession()
  const here = place.path[0] ?? ''
  const group = (title: string, entries: Entry[]) => {
    const shown = entries.filter(({ needs }) => !needs || may[needs])
    if (shown.length === 0) return null
    return (
      <>
        <span class="nav-title">{title}</span>
        {shown.map(entry => (
          <a
            key={entry.path}
            href={`#/${entry.path}`}
            aria-current={entry.path === here ? 'page' : undefined}
          >
            <Icon name={entry.icon} />
            {entry.name}
          </a>
        ))}
      </>
    )
  }
  return (
    <header class={isOpen ? 'side open' : 'side'}>
      <a class="brand" href="#/">
        <img src={icon} alt="" />
        K-Scrape Nexus
      </a>
      <nav class="nav" aria-label="Pages">
        {group('Work', work)}
        {group('Conduct', conduct)}
        {group('Service', service)}
        <a href="/docs" target="_blank" rel="noopener">
          <Icon name="book" />
          API docs
        </a>
        <a href="/guide/" target="_blank" rel="noopener">
          <Icon name="book" />
          Guide
        </a>
      </nav>
      <div class="side-foot">
        <span class="who" title={`Key ${account.keyId} of workspace ${account.workspace}`}>
          {account.keyId} · {account.workspace}
        </span>
        <span>
          {account.scopes.join(', ')} · v{account.version}
        </span>
        <div class="side-buttons">
          <ThemeButton />
          <Button isSmall kind="ghost" icon="out" onClick={() => signOut()}>
            Sign out
          </Button>
        </div>
      </div>
    </header>
  )
}

function ThemeButton() {
  const [now, setNow] = useState(theme)
  const next = themes[(themes.indexOf(now) + 1) % themes.length]!
  const change = () => {
    applyTheme(next)
    setNow(next)
  }
  return (
    <Button isSmall kind="ghost" icon="sun" label={`Colours: ${now}; change to ${next}`} onClick={change}>
      {now}
    </Button>
  )
}
