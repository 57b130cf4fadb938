// Finds cached responses for tasks that are about to run. For jobs without `max_age` it queries nothing.

import type { TaskAnswer, TimedTask } from '../../model/lane.ts'
import type { KnownAnswer } from '../../model/page/answer.ts'
import { answerKey } from '../work/answer-influences.ts'
import { type OverridesContext, policyOfTimed } from '../work/task-overrides.ts'
import type { CoordinatorContext } from './context.ts'
import type { RunningJob } from './running-job.ts'

/** Dependencies for finding cached responses. */
export type CacheContext = OverridesContext &
  Pick<CoordinatorContext, 'jobs' | 'store' | 'clock' | 'registry'>

export async function withAnswers(context: CacheContext, tasks: TimedTask[]): Promise<TimedTask[]> {
  if (!context.jobs.values().some(({ job }) => job.spec.maxAgeMs !== undefined)) return tasks
  const keys = keysOf(context, tasks)
  // If the store fails, run the tasks without cached responses, because they are already leased.
  const known = await context.store.answers
    .find([...keys.values()])
    .catch(() => new Map<string, KnownAnswer>())
  const now = context.clock.now()
  return tasks.map(task => {
    const key = keys.get(task)
    if (key === undefined) return task
    const found = known.get(key) ?? null
    const { maxAgeMs = 0 } = context.jobs.get(task.jobId)!.job.spec
    const answer: TaskAnswer = {
      key,
      known: found,
      isFresh: found !== null && now - found.checkedAt < maxAgeMs,
    }
    return { ...task, answer }
  })
}

function keysOf(context: CacheContext, tasks: TimedTask[]): Map<TimedTask, string> {
  const keys = new Map<TimedTask, string>()
  for (const task of tasks) {
    const job = context.jobs.get(task.jobId)
    if (!job || !usesAnswers(context, job, task)) continue
    const scraper = context.registry.get(job.job.spec.scraperId)
    const key = answerKey({ lane: job.lane, task, policy: policyOfTimed(context, job, task), scraper })
    if (key !== null) keys.set(task, key)
  }
  return keys
}

/**
 * Whether a task may use a cached response. A scraper with code may follow links, which a cached response would skip.
 * So crawls with such a scraper use no cache. Jobs with screenshots or PDFs use none either, because the cache does not
 * contain these files.
 */
function usesAnswers(context: CacheContext, { job }: RunningJob, { kind }: TimedTask): boolean {
  const { maxAgeMs, rendering, scraperId } = job.spec
  if (maxAgeMs === undefined || kind !== 'page' || job.kind === 'map') return false
  if (rendering.screenshot || rendering.pdf) return false
  return job.kind === 'list' || !context.registry.get(scraperId).run
}
