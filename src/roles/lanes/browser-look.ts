// The browser version that plain HTTP requests imitate, if the job's policy requires that: the version of this
// machine's browser.
import type { Settings } from '../../config/settings.ts'
import { browserVersion, usualBrowserVersion } from '../../fetch/browser/identity/browser-version.ts'
import { findBrowser } from '../../fetch/browser/pool/find-browser.ts'
import type { JobSpec } from '../../model/job.ts'
import type { LaneJob } from '../../model/lane.ts'
import { browserKindOf } from '../../model/policy/render-mode.ts'

/** Undefined for jobs that identify themselves. Used only for requests without a browser, because a running browser reports
 *  its own version. */
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
