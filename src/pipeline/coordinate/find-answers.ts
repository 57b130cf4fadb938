// Answers of earlier requests, looked up for tasks that are about to run; jobs that use none pay nothing for it.

import type { TaskAnswer, TimedTask } from '../../model/lane.ts'
import type { KnownAnswer } from '../../model/page/answer.ts'
import { answerKey } from '../work/answer-influences.ts'
import { policyOfTimed } from '../work/task-overrides.ts'
import type { Desk } from './desk.ts'
import type { RunningJob } from './running-job.ts'

export async function withAnswers(desk: Desk, tasks: TimedTask[]): Promise<TimedTask[]> {
  if (!desk.jobs.values().some(({ job }) => job.spec.maxAgeMs !== undefined)) return tasks
  const keys = keysOf(desk, tasks)
  // These tasks are leased already: whatever is wrong with the store, they must go on from here. What is not found is asked for.
  const known = await desk.store.answers.find([...keys.values()]).catch(() => new Map<string, KnownAnswer>())
  const now = desk.clock.now()
  return tasks.map(task => {
    const key = keys.get(task)
    if (key === undefined) return task
    const found = known.get(key) ?? null
    const { maxAgeMs = 0 } = desk.jobs.get(task.jobId)!.job.spec
    const answer: TaskAnswer = {
      key,
      known: found,
      isFresh: found !== null && now - found.checkedAt < maxAgeMs,
    }
    return { ...task, answer }
  })
}

function keysOf(desk: Desk, tasks: TimedTask[]): Map<TimedTask, string> {
  const keys = new Map<TimedTask, string>()
  for (const task of tasks) {
    const job = desk.jobs.get(task.jobId)
    if (!job || !usesAnswers(desk, job, task)) continue
    const scraper = desk.registry.get(job.job.spec.scraperId)
    const key = answerKey({ lane: job.lane, task, policy: policyOfTimed(desk, job, task), scraper })
    if (key !== null) keys.set(task, key)
  }
  return keys
}

/**
 * What code of a scraper's own opens and follows is not in its records, so only a list may skip it. Pictures of a page are not kept with
 * its answer.
 */
function usesAnswers(desk: Desk, { job }: RunningJob, { kind }: TimedTask): boolean {
  const { maxAgeMs, rendering, scraperId } = job.spec
  if (maxAgeMs === undefined || kind !== 'page' || job.kind === 'map') return false
  if (rendering.screenshot || rendering.pdf) return false
  return job.kind === 'list' || !desk.registry.get(scraperId).run
}
