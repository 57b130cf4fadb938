// Answers of earlier requests, looked up for tasks that are about to run; jobs that use none pay nothing for it.
import { hash } from 'node:crypto'
import type { KnownAnswer } from '../model/answer.ts'
import type { TaskAnswer, TimedTask } from '../model/lane.ts'
import type { Desk } from './desk.ts'
import { makerPrint } from './record-maker.ts'
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
  const prints = new Map<string, string>()
  for (const task of tasks) {
    const job = desk.jobs.get(task.jobId)
    if (!job || !usesAnswers(desk, job, task)) continue
    const print = prints.get(job.id) ?? requestPrint(desk, job)
    prints.set(job.id, print)
    keys.set(task, keyOf(`${print} ${task.url} ${inputOf(desk, job, task)}`))
  }
  return keys
}

/** What code of a scraper's own opens and follows is not in its records, so only a list may skip it. */
function usesAnswers(desk: Desk, { job }: RunningJob, { kind }: TimedTask): boolean {
  if (job.spec.maxAgeMs === undefined || kind !== 'page' || job.kind === 'map') return false
  return job.kind === 'list' || !desk.registry.get(job.spec.scraperId).run
}

/** Everything about the job that the host, or the records, could go by. */
function requestPrint({ registry }: Desk, { job, lane }: RunningJob): string {
  const { headers, scraperId } = job.spec
  const sent = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value])
    .sort()
  const maker = makerPrint(job.spec, registry.get(scraperId))
  return keyOf(JSON.stringify([maker, lane.userAgent, lane.cookies, sent]))
}

/** Rules only see the page; code sees the row as well. */
const inputOf = ({ registry }: Desk, { job }: RunningJob, { input }: TimedTask): string =>
  registry.get(job.spec.scraperId).run ? (input ?? '') : ''

const keyOf = (text: string): string => hash('sha256', text, 'base64url').slice(0, 22)
