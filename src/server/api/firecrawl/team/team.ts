// Account routes of Firecrawl's clients: concurrency, credits, tokens and queue.
import type { App } from '../../../app.ts'
import type { Server } from '../../../parts.ts'
import { read } from '../routes.ts'
import type { Version } from '../schemas.ts'
import { addUsage } from './usage.ts'

/** Nothing is billed, but clients expect a number of credits that never runs out. */
const credits = 1_000_000_000
const tokens = credits

export function addTeam(app: App, server: Server, version: Version): void {
  const { store } = server.parts
  const most = server.settings.concurrency
  app.get(`/v${version}/concurrency-check`, read, async ({ caller }) => ({
    ...{ success: true, concurrency: await tasksInFlight(server, caller.workspace), maxConcurrency: most },
  }))
  app.get(`/v${version}/team/credit-usage`, read, async () => ({
    success: true,
    data: {
      ...{ remainingCredits: credits, planCredits: credits },
      ...(version === 1 && { remaining_credits: credits }),
      ...{ billingPeriodStart: null, billingPeriodEnd: null },
    },
  }))
  app.get(`/v${version}/team/token-usage`, read, async () => ({
    success: true,
    data: {
      ...{ remainingTokens: tokens, planTokens: tokens },
      ...(version === 1 && { remaining_tokens: tokens }),
      ...{ billingPeriodStart: null, billingPeriodEnd: null },
    },
  }))
  addUsage(app, server, version)
  for (const name of ['queue-status', 'queue'])
    app.get(`/v${version}/team/${name}`, read, async ({ caller }) => {
      const { tasks } = await store.jobs.load({ workspace: caller.workspace })
      const active = Math.min(tasks, await tasksInFlight(server, caller.workspace))
      return {
        ...{
          success: true,
          jobsInQueue: tasks,
          activeJobsInQueue: active,
          waitingJobsInQueue: tasks - active,
        },
        ...{ maxConcurrency: most, mostRecentSuccess: await mostRecentSuccess(server, caller.workspace) },
      }
    })
}

const mostJobs = 100

/** Counts only tasks of the workspace, because the load of the workers would reveal when other workspaces work. */
async function tasksInFlight({ parts }: Server, workspace: string): Promise<number> {
  const { jobs } = parts.store
  const running = await jobs.list({ workspace, states: ['running'], limit: mostJobs })
  const counts = await Promise.all(running.map(({ id }) => jobs.counts(id)))
  return counts.reduce((sum, { byState }) => sum + byState.queued + byState.in_progress, 0)
}

async function mostRecentSuccess({ parts }: Server, workspace: string): Promise<string | null> {
  const [job] = await parts.store.jobs.list({
    ...{ workspace, face: 'firecrawl', limit: 1 },
    states: ['completed', 'partially_completed'],
  })
  return job?.finishedAt ? new Date(job.finishedAt).toISOString() : null
}
