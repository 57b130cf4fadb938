// kscrape jobs raise: changes the limits of a local job or of a service's job.
import { goesOnWithMore, raiseLimits } from '../../pipeline/submit/raise-limits.ts'
import { visitDataDirectory } from '../../roles/data-directory.ts'
import { jobNamed } from '../../roles/local/look-up.ts'
import { policyRulesOf } from '../../roles/policy-rules.ts'
import type { CommonFlags } from '../flags/flags.ts'
import { changeOf, limitText, parseLimit } from '../flags/limit-text.ts'
import { report } from '../jobs/control-on-service.ts'
import { settingsFor } from '../jobs/read-data-directory.ts'
import { serviceFor } from '../service.ts'
import { againFlags } from '../show/summary.ts'

export async function raiseJob(jobId: string, words: string[], flags: CommonFlags): Promise<void> {
  const typed = words.map(parseLimit)
  const service = await serviceFor(flags)
  if (service) {
    const { limits } = await service.jobs.policy(jobId)
    const { status } = await service.jobs.raise(jobId, changeOf(typed, limits))
    return report(flags, { id: jobId, state: status }, `${jobId} is ${status}`)
  }
  const { settings } = await settingsFor(flags)
  await using data = await visitDataDirectory(settings.dataDir)
  const before = await jobNamed(data, jobId)
  const change = changeOf(typed, before.spec.policy.limits ?? {})
  const job = await raiseLimits(data.store, jobId, change, policyRulesOf(settings))
  // Makes the process that runs the job read the limits again. A job that stopped at a limit has no such process.
  if (job.state === 'running') await data.store.requests.leave({ jobId, kind: 'resume', at: Date.now() })
  const limits = limitText(job.spec.policy.limits).join(', ') || 'without limits'
  const next =
    goesOnWithMore(job) && job.state === 'paused'
      ? `; continue: kscrape jobs resume ${jobId}${againFlags(settings.dataDir)}`
      : ''
  report(flags, job, `${jobId} may spend ${limits}${next}`)
}
