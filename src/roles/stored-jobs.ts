// Accepts, finds and deletes jobs in the store. Every process with an API uses this code; only a coordinator runs jobs.
import { openSealer } from '../adapters/fs/sealer.ts'
import { operatorProxies } from '../config/operator-proxies.ts'
import type { Settings } from '../config/settings.ts'
import { EgressGate } from '../fetch/http/index.ts'
import type { OperatorProxies } from '../fetch/proxies/job-proxies.ts'
import { systemClock } from '../lib/clocks.ts'
import type { Emitter } from '../lib/emitter.ts'
import { userAgentOf } from '../lib/user-agent.ts'
import { deleteJobData } from '../maintain/delete-job.ts'
import { Failure } from '../model/failures.ts'
import { type GivenSpec, hasEnded, type Job } from '../model/job.ts'
import { planJob, type SubmitOptions, submitJob } from '../pipeline/submit/submit-job.ts'
import type { Sealer } from '../ports/secrets.ts'
import type { Traces } from '../ports/traces.ts'
import type { Registry } from '../scraper/registry.ts'
import { checkOutputs } from './check-outputs.ts'
import type { DataDirectory } from './data-directory.ts'
import { cookiesOf } from './job-as-it-runs.ts'
import { refuseUselessModel, refuseWithoutModel } from './llm-settings.ts'
import { jobNamed } from './local/look-up.ts'
import { policyRulesOf } from './policy-rules.ts'

interface StoredJobsParts {
  data: DataDirectory
  settings: Settings
  registry: Registry
  events: Emitter
  traces: Traces
}

export class StoredJobs {
  readonly data: DataDirectory
  readonly registry: Registry
  readonly traces: Traces
  /** Seals headers that may be secret before they are stored. */
  readonly sealer: Sealer
  readonly gate: EgressGate
  readonly events: Emitter
  readonly #settings: Settings
  readonly #operatorProxies: OperatorProxies

  constructor({ data, settings, registry, events, traces }: StoredJobsParts) {
    this.data = data
    this.registry = registry
    this.traces = traces
    this.events = events
    this.sealer = openSealer(data.path)
    this.gate = new EgressGate({ allowPrivate: settings.allowPrivate })
    this.#settings = settings
    this.#operatorProxies = operatorProxies(settings)
  }

  /** When the promise resolves, the job is durable, so a kill of the process loses nothing. */
  async submit(spec: GivenSpec, options: SubmitOptions = {}): Promise<Job> {
    this.#refuseModel(spec)
    await checkOutputs(spec.output)
    // Parse the cookie file now, so that an invalid file is refused at submission.
    cookiesOf(spec.cookiesFile)
    const { data, sealer, traces } = this
    const parts = { ...this.#planParts, ...{ store: data.store, clock: systemClock, sealer, traces } }
    // The user agent is stored with the job, so that a resumed job has the same one even if the settings change.
    const userAgent = spec.userAgent ?? userAgentOf(this.#settings)
    return submitJob(parts, { ...spec, userAgent }, options)
  }

  /** Rejects if the job could not be submitted now. Writes nothing. */
  async check(spec: GivenSpec, options: SubmitOptions = {}): Promise<void> {
    this.#refuseModel(spec)
    await planJob(this.#planParts, spec, options)
  }

  #refuseModel(spec: GivenSpec): void {
    refuseWithoutModel(spec, this.#settings)
    refuseUselessModel(spec, this.registry)
  }

  get #planParts() {
    const { gate, registry } = this
    const policyRules = policyRulesOf(this.#settings)
    return { gate, registry, policyRules, operatorProxies: this.#operatorProxies }
  }

  get(jobId: string): Promise<Job> {
    return jobNamed(this.data, jobId)
  }

  /** Deletes the job with its records and raw pages. Refuses an unfinished job, because it would store more records and pages. */
  async delete(jobId: string): Promise<void> {
    const { id, state } = await this.get(jobId)
    if (!hasEnded(state))
      throw new Failure('job.wrong-state', `job ${id} is ${state}: cancel it before it is deleted`, {
        jobId,
        state,
      })
    await deleteJobData(this.data, jobId)
    this.events.emit('job.deleted', { jobId })
  }
}
