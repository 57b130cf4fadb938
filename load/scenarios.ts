// The requests of callers: read a job, read its results, submit one, wait for a page.
import type { Reply, Service } from './service.ts'

export const scenarioNames = ['status', 'results', 'submit', 'scrape'] as const
export type ScenarioName = (typeof scenarioNames)[number]

/** As with most services, most requests are reads. */
export const usualMix: Record<ScenarioName, number> = { status: 60, results: 20, submit: 10, scrape: 10 }

export interface World {
  service: Service
  /** A site without rate limit. */
  target: URL
  run: string
  pagesPerJob: number
  random: () => number
  /** Ids of jobs to read; there is always at least one. */
  jobs: string[]
  /** The number of jobs of this run that were accepted. */
  accepted: number
}

/** The number of submitted jobs whose ids are remembered for reading. */
const mostKnownJobs = 1_000

export const scenarios: Record<ScenarioName, (world: World, n: number) => Promise<Reply>> = {
  status: world => world.service.get(`/jobs/${someJob(world)}/status`),
  results: world => world.service.get(`/jobs/${someJob(world)}/results?limit=20`),
  submit: async (world, n) => {
    const reply = await world.service.post('/jobs', jobSpec(world, n))
    if (reply.error === null) remember(world, String(reply.body.job_id))
    return reply
  },
  scrape: (world, n) =>
    world.service.post('/api/v1/scrape/sync', { url: pageOf(world, `${n}`), target_type: 'page' }),
}

export const jobSpec = (world: World, n: number): object => ({
  urls: Array.from({ length: world.pagesPerJob }, (_, page) => pageOf(world, `${n}-${page}`)),
  labels: { load: world.run },
})

function remember(world: World, jobId: string): void {
  world.accepted += 1
  if (world.jobs.length >= mostKnownJobs) world.jobs.shift()
  world.jobs.push(jobId)
}

/** A new URL each time, so that no cached response is used. */
const pageOf = ({ target, run }: World, n: string): string => {
  const url = new URL(target)
  url.searchParams.set('load', `${run}-${n}`)
  return url.href
}

const someJob = ({ jobs, random }: World): string => jobs[Math.floor(random() * jobs.length)]!

/** Chooses a scenario at random, by its share. */
export function chooser(mix: Record<ScenarioName, number>, random: () => number): () => ScenarioName {
  const whole = scenarioNames.reduce((sum, name) => sum + mix[name], 0)
  return () => {
    let left = random() * whole
    for (const name of scenarioNames) {
      left -= mix[name]
      if (left < 0) return name
    }
    return scenarioNames.findLast(name => mix[name] > 0)!
  }
}
