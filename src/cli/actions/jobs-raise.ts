// kscrape jobs raise: other limits for a job, here or at a service.
import { goesOnWithMore, raiseLimits } from '../../pipeline/submit/raise-limits.ts'
import { visitDataDirectory } from '../../roles/data-directory.ts'
import { jobNamed } from '../../roles/local/look-up.ts'
import { policyRulesOf } from '../../roles/policy-rules.ts'
import type { CommonFlags } from '../flags/flags.ts'
import { changeOf, limitText, parseLimit } from '../flags/limit-text.ts'
import { report } from '../jobs/steer-on-service.ts'
import { settingsFor } from '../jobs/visit.ts'
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
  // A process that runs it looks at its limits again; one that stopped at a limit is nobody's.
  if (job.state === 'running') await data.store.requests.leave({ jobId, kind: 'resume', at: Date.now() })
  const limits = limitText(job.spec.policy.limits).join(', ') || 'what it likes'
  const next =
    goesOnWithMore(job) && job.state === 'paused'
      ? `; go on: kscrape jobs resume ${jobId}${againFlags(settings.dataDir)}`
      : ''
  report(flags, job, `${jobId} may spend ${limits}${next}`)
}
