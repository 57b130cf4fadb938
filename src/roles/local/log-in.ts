// Login by hand: opens a visible browser, and stores its cookies and storage as a named session.
import type { Settings } from '../../config/settings.ts'
import { openVisibleBrowser } from '../../fetch/browser/visible.ts'
import { EgressGate } from '../../fetch/http/index.ts'
import { Failure } from '../../model/failures.ts'
import type { StorageState } from '../../model/policy/rendering.ts'
import { openSessions } from '../sessions.ts'

interface LogInOptions {
  name: string
  url: string
  settings: Settings
  /** Variables that a window needs, such as DISPLAY. */
  environment: Record<string, string>
  /** Called when the window is open. */
  opened: () => void
  /** Resolves when the user confirms the login; closing the window has the same effect. */
  done: Promise<void>
}

/** Resolves with the stored session; null if there was nothing to store. */
export async function logIn(options: LogInOptions): Promise<StorageState | null> {
  const { name, url, settings, environment } = options
  refuseWithoutDisplay(environment)
  const sessions = openSessions(settings.dataDir)
  await using browser = await openVisibleBrowser({
    gate: new EgressGate({ allowPrivate: settings.allowPrivate }),
    path: settings.browserPath,
    environment,
    url,
    state: await sessions.load(name),
  })
  options.opened()
  await Promise.race([browser.closed, options.done])
  const state = await browser.state()
  if (state.cookies.length + state.origins.length === 0) return null
  await sessions.save(name, state)
  return state
}

function refuseWithoutDisplay(environment: Record<string, string>): void {
  if (process.platform !== 'linux' || environment.DISPLAY || environment.WAYLAND_DISPLAY) return
  throw new Failure(
    'feature.missing',
    'there is no display for a window (DISPLAY is not set): run this on a desktop, over ssh -X or under xvfb-run; or log in with your own browser and pass its cookies with --cookies FILE',
  )
}
