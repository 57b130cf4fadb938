// Before the first request: starts a site, allows the service to fetch it, and submits a job to read.
import { randomBytes } from 'node:crypto'
import { startDemoSite } from '../src/demo-site/index.ts'
import type { Options } from './options.ts'
import { jobSpec, type World } from './scenarios.ts'
import type { Service } from './service.ts'
import { UsageError } from './usage-error.ts'

/** This site has no rate limits, because the test measures the service and not its politeness. */
const withoutLimit = { rate: 'unlimited', concurrency: 1_000 }

export async function prepare(
  opened: AsyncDisposableStack,
  service: Service,
  options: Options,
  random: () => number,
): Promise<World> {
  const target = options.target ?? (await ownSite(opened, options.targetPort))
  await liftLimit(opened, service, target)
  const run = randomBytes(4).toString('hex')
  const world: World = {
    service,
    target,
    run,
    random,
    pagesPerJob: options.pagesPerJob,
    jobs: [],
    accepted: 0,
  }
  world.jobs.push(await firstJob(world, options.drainMs))
  return world
}

async function ownSite(opened: AsyncDisposableStack, port: number): Promise<URL> {
  const site = opened.use(await startDemoSite({ port, crawlDelaySeconds: 0, maxLoggedRequests: 1 }))
  return new URL('/about', site.url)
}

async function liftLimit(opened: AsyncDisposableStack, service: Service, target: URL): Promise<void> {
  const path = `/hosts/${encodeURIComponent(target.host)}/policy`
  const { error } = await service.put(path, withoutLimit)
  if (error !== null)
    throw new UsageError(
      `the rate limit of ${target.host} could not be removed (${error}): check that the service runs and that the key has the scope admin`,
    )
  opened.defer(async () => void (await service.delete(path)))
}

/** Proves that pages of the target can be fetched, and gives scenarios a job to read. */
async function firstJob(world: World, withinMs: number): Promise<string> {
  const { service, target } = world
  const { error, body } = await service.post('/jobs', { ...jobSpec(world, 0), labels: {} })
  if (error !== null)
    throw new UsageError(
      `a job for ${target} was refused (${error}): start the service with --allow-private ${target.host}`,
    )
  const jobId = String(body.job_id)
  const state = await endOf(service, jobId, Date.now() + withinMs)
  if (state !== 'completed')
    throw new UsageError(`the first job, ${jobId}, is ${state}: \`kscrape jobs show ${jobId}\` shows why`)
  return jobId
}

const lookEveryMs = 100

async function endOf(service: Service, jobId: string, deadline: number): Promise<unknown> {
  for (;;) {
    const { body } = await service.get(`/jobs/${jobId}/status`)
    if (!open.includes(String(body.status)) || Date.now() > deadline) return body.status
    await new Promise(resolve => setTimeout(resolve, lookEveryMs))
  }
}

export const open = ['pending', 'running', 'paused', 'finishing']
