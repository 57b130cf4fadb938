// As which browser plain requests present themselves, for jobs that ask for that: as the one that would be used here.
import type { Settings } from '../config/settings.ts'
import { browserVersion, usualBrowserVersion } from '../fetch/browser/browser-version.ts'
import { findBrowser } from '../fetch/browser/find-browser.ts'
import type { JobSpec } from '../model/job.ts'
import type { LaneJob } from '../model/lane.ts'

/** Nothing for jobs that say who they are. A browser that runs says itself which it is; this is for what goes without one. */
export async function browserLookOf(
  { policy, browser }: Pick<JobSpec, 'policy' | 'browser'>,
  { browserPath }: Pick<Settings, 'browserPath'>,
): Promise<Pick<LaneJob, 'browserVersion'>> {
  if (policy.identity?.headers !== 'browser') return {}
  const found = await findBrowser({
    path: browserPath,
    wants: browser === 'stealth' ? 'full' : 'shell',
  }).catch(() => null)
  if (!found) return { browserVersion: usualBrowserVersion }
  return { browserVersion: await browserVersion(found) }
}
