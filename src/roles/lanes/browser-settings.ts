// The operator's browser settings for lanes, and whether a browser exists.
import type { Settings } from '../../config/settings.ts'
import { browserMissing, findBrowser } from '../../fetch/browser/pool/find-browser.ts'
import { asFailure } from '../../model/failures.ts'
import type { JobSpec } from '../../model/job.ts'
import type { LaneJob } from '../../model/lane.ts'
import { type RenderOptions, renderModeOf } from '../../model/policy/render-mode.ts'
import type { BrowserStart } from './lane-messages.ts'

export const browserStartOf = (settings: Settings): BrowserStart => ({
  path: settings.browserPath ?? null,
  poolSize: settings.browserPoolSize,
  seatsForJobs: settings.browserSeatsForJobs,
  maxPages: settings.browserMaxPages,
  maxMemoryBytes: settings.browserMaxMemory,
  dataDir: settings.dataDir,
  domainPolicies: settings.domainPolicies,
  rate: settings.rate,
  secretsFile: settings.secretsFile,
})

/** Searches for a browser if the job may need one. If there is none, returns the error with which the job's tasks fail at once.
 *  Starts no browser. */
export async function noBrowserFor(
  options: RenderOptions & Partial<Pick<JobSpec, 'policy'>>,
  { browserPath }: Settings,
): Promise<Pick<LaneJob, 'noBrowser'>> {
  if (renderModeOf(options) === 'never') return {}
  const { policy, browser = 'plain' } = options
  const isStealth = (policy?.identity?.browser ?? browser) === 'stealth'
  const wants = isStealth ? 'full' : 'shell'
  try {
    const found = await findBrowser({ path: browserPath, wants })
    return found ? {} : { noBrowser: browserMissing(wants).toJSON() }
  } catch (error) {
    return { noBrowser: asFailure(error).toJSON() }
  }
}
