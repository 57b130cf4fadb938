// Runs that must be polite: two jobs over the same hosts, with failures that are retried. They run in one process that is
// restarted, or in several processes of which one is killed.
import { EgressGate } from '../../src/fetch/http/index.ts'
import { systemClock } from '../../src/lib/clocks.ts'
import { givenSpec, type JobSpecInput } from '../../src/model/job.ts'
import { submitJob } from '../../src/pipeline/submit/submit-job.ts'
import { Registry } from '../../src/scraper/registry.ts'
import type { Arrivals } from './arrivals.ts'
import { type RoleProcess, TestCluster, until } from './cluster.ts'
import { TestEngine } from './engine.ts'

export const gapMs = 100

/** Several requests may be in flight, so that only the delay limits the rate. Failures are retried soon and often, so that each
 *  page succeeds in the end. */
const policy: NonNullable<JobSpecInput['policy']> = {
  host: { rate: 1_000 / gapMs, concurrency: 4 },
  retries: { attempts: 20, baseMs: 10, capMs: 50 },
  breaker: { consecutive: 100_000, ratio: 1 },
}

const urlsOf = (hosts: readonly string[], name: string, each: number): string[] =>
  hosts.flatMap(host => Array.from({ length: each }, (_, index) => `http://${host}/${name}/${index}`))

const jobsOf = (hosts: readonly string[], each: number): JobSpecInput[] =>
  ['one', 'two'].map(jobId => ({ jobId, urls: urlsOf(hosts, jobId, each), policy }))

/** `each` is the number of pages per job and host. The process is stopped after about half of the pages, and restarted on the
 *  same data. */
export async function runRestarted({ hosts }: Arrivals, each: number): Promise<void> {
  const settings = { allowPrivate: hosts, concurrency: 200 }
  const first = await TestEngine.open({ settings, lanes: 2 })
  for (const spec of jobsOf(hosts, each)) await first.submit(spec)
  const halfDone = Promise.withResolvers<void>()
  let settled = 0
  first.engine.listen(name => {
    if (name === 'task.settled' && ++settled > hosts.length * each) halfDone.resolve()
  })
  void first.start()
  await halfDone.promise
  await first.close()
  await using second = await TestEngine.open({ settings, lanes: 2 }, first.folder)
  for (const jobId of ['one', 'two']) await second.engine.resume(jobId)
  await second.start()
  for (const jobId of ['one', 'two']) {
    const { byState, byReason } = (await second.engine.progress(jobId)).counts
    if (byState.succeeded !== hosts.length * each)
      throw new Error(
        `${byState.succeeded} of ${hosts.length * each} pages of ${jobId}: ${JSON.stringify(byReason)}`,
      )
  }
}

/** Three workers run, and one is killed. With `stutter`, another worker is suspended repeatedly. */
export async function runOverWorkers(
  { hosts }: Arrivals,
  each: number,
  { stutter = false } = {},
): Promise<void> {
  await using cluster = await TestCluster.open({ SCRAPER_ALLOW_PRIVATE: hosts.join(',') })
  const [victim, other] = await Promise.all([
    ...Array.from({ length: 3 }, () => cluster.start(['http-worker'])),
    cluster.start(['coordinator', 'processor']),
  ])
  const gate = new EgressGate({ allowPrivate: hosts })
  const parts = { store: cluster.store, clock: systemClock, gate, registry: new Registry() }
  for (const spec of jobsOf(hosts, each)) await submitJob(parts, givenSpec.parse(spec))
  using _stuttering = stutter ? stutters(other!) : undefined
  const done = async () => {
    const counts = await cluster.store.jobs.counts('one')
    return counts.byState.succeeded > (hosts.length * each) / 4
  }
  await until('a quarter of the pages', done)
  await victim!.kill('SIGKILL')
  for (const jobId of ['one', 'two']) await cluster.ended(jobId)
}

/** Suspends a process repeatedly, as if it got no CPU time. Each pause is almost as long as the delay between two requests. */
function stutters({ child }: RoleProcess): Disposable {
  let isStill = false
  const timer = setInterval(() => {
    isStill = !isStill
    child.kill(isStill ? 'SIGSTOP' : 'SIGCONT')
  }, gapMs * 0.8)
  return {
    [Symbol.dispose]() {
      clearInterval(timer)
      child.kill('SIGCONT')
    },
  }
}
