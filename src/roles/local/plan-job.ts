// Plans a job from the command line. An engine on the data directory fetches the sample pages and deletes them.
import { Writable } from 'node:stream'
import { ChangingPolicies, hostPolicies } from '../../config/host-policies.ts'
import type { Loaded } from '../../config/load.ts'
import { fileSource } from '../../jobs/row-source.ts'
import { userAgentOf } from '../../lib/user-agent.ts'
import { deleteJobData } from '../../maintain/delete-job.ts'
import type { JobPlan } from '../../model/api/plan.ts'
import type { GivenSpec } from '../../model/job.ts'
import { listedTargets } from '../../pipeline/submit/listed-targets.ts'
import { makePlan, pricesFor, sampleSize } from '../../pipeline/submit/make-plan.ts'
import { type LookAt, lookedAt, lookingJob, seeAhead } from '../../pipeline/submit/sample-pages.ts'
import type { Store } from '../../ports/store.ts'
import { visitDataDirectory } from '../data-directory.ts'
import { Engine } from '../engine.ts'
import { policyRulesOf } from '../policy-rules.ts'

interface PlanRequest {
  spec: GivenSpec
  /** A file of rows that replaces the file of the spec. */
  file?: string
  stop: AbortSignal
}

export async function planHere(loaded: Loaded, { spec, file, stop }: PlanRequest): Promise<JobPlan> {
  const { settings } = loaded
  const isList = file !== undefined || spec.urls !== undefined || spec.items !== undefined
  const listed = isList
    ? await listedTargets(spec, file === undefined ? null : fileSource(file), sampleSize)
    : undefined
  const policies = new ChangingPolicies(hostPolicies(settings))
  return makePlan(
    {
      lookAt: lookHere(loaded, spec, stop, store => store.conduct.overrides().then(policies.setOverrides)),
      robotsOf: origin => withStore(settings.dataDir, store => store.hosts.robots(origin)),
      policyFor: policies.policyFor,
      userAgent: spec.userAgent ?? userAgentOf(settings),
      prices: pricesFor(policyRulesOf(settings), spec),
      concurrency: spec.concurrency ?? settings.concurrency,
    },
    spec,
    isList ? 'list' : 'crawl',
    listed,
  )
}

/** Opens a new engine for each sample. The engine reads the stored state of the hosts, and runs no other job of the directory. */
const lookHere =
  (loaded: Loaded, spec: GivenSpec, stop: AbortSignal, opened: (store: Store) => Promise<unknown>): LookAt =>
  async (urls, kind) => {
    const stdout = new Writable({ write: (_chunk, _encoding, done) => done() })
    await using engine = await Engine.open(loaded, { command: 'plan', stop, stdout, lanes: 0 })
    await opened(engine.data.store)
    const job = await engine.submit(lookingJob(spec, urls))
    try {
      await engine.run()
      stop.throwIfAborted()
      return await lookedAt({ ...engine.data, see: seeAhead }, job, kind)
    } finally {
      await deleteJobData(engine.data, job.id)
    }
  }

async function withStore<Result>(dataDir: string, read: (store: Store) => Promise<Result>): Promise<Result> {
  await using data = await visitDataDirectory(dataDir)
  return await read(data.store)
}
