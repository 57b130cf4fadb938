// Checks whether a page could be rendered now: a browser exists, the pool has a free seat, and the browser loads a page.
import type { Settings } from '../config/settings.ts'
import type { BrowserPool } from '../model/events.ts'
import type { CoordinatorContext } from '../pipeline/coordinate/context.ts'
import { noBrowserFor } from './lanes/browser-settings.ts'

/** Why the browser cannot load a page; null if it can. Starts a browser if none runs. */
export async function browserTroubleOf(
  { lanes }: Pick<CoordinatorContext, 'lanes'>,
  pool: BrowserPool | null,
  settings: Settings,
): Promise<string | null> {
  const { noBrowser } = await noBrowserFor({ render: 'always' }, settings)
  if (noBrowser) return noBrowser.message
  if (pool?.available === 0) return `all ${pool.total} pages of the browser pool are in use`
  if (!lanes.tryBrowser || (await lanes.tryBrowser())) return null
  return 'the browser cannot load a page; `kscrape doctor` shows why'
}
