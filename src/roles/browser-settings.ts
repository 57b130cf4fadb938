// The browser as the operator set it up: what a lane needs to open one, and whether there is one at all.
import type { Settings } from '../config/settings.ts'
import { findBrowser } from '../fetch/browser/find-browser.ts'
import { type RenderWish, renderModeOf } from '../model/render-mode.ts'
import type { BrowserStart } from './lane-messages.ts'

export const browserStartOf = (settings: Settings): BrowserStart => ({
  path: settings.browserPath ?? null,
  poolSize: settings.browserPoolSize,
  dataDir: settings.dataDir,
  domainPolicies: settings.domainPolicies,
  rate: settings.rate,
  secretsFile: settings.secretsFile,
})

/** Looked for where a job may need one: nothing is started for it. */
export async function hasBrowserFor(wish: RenderWish, { browserPath }: Settings): Promise<boolean> {
  if (renderModeOf(wish) === 'never') return true
  const wants = wish.browser === 'stealth' || wish.actions ? 'full' : 'shell'
  return (await findBrowser({ path: browserPath, wants }).catch(() => null)) !== null
}
