// The browser that plain requests imitate, for jobs that ask for it: the one that would be used here.
import type { Settings } from '../../config/settings.ts'
import { browserVersion, usualBrowserVersion } from '../../fetch/browser/identity/browser-version.ts'
import { findBrowser } from '../../fetch/browser/pool/find-browser.ts'
import type { JobSpec } from '../../model/job.ts'
import type { LaneJob } from '../../model/lane.ts'
import { browserKindOf } from '../../model/policy/render-mode.ts'

/** Nothing for jobs that say who they are. A browser that runs says itself which it is; this is for what goes without one. */
export async function browserLookOf(
  { policy, browser }: Pick<JobSpec, 'policy' | 'browser'>,
  { browserPath }: Pick<Settings, 'browserPath'>,
): Promise<Pick<LaneJob, 'browserVersion'>> {
  if (policy.identity?.headers !== 'browser') return {}
  const wants = browserKindOf({ policy, browser }) === 'stealth' ? 'full' : 'shell'
  return { browserVersion: await browserVersionHere(browserPath, wants) }
}

export async function browserVersionHere(
  path: string | undefined,
  wants: 'full' | 'shell' = 'shell',
): Promise<string> {
  const found = await findBrowser({ path, wants }).catch(() => null)
  return found ? browserVersion(found) : usualBrowserVersion
}
