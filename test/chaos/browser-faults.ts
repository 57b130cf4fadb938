// A worker with a browser is killed. The next worker renders its pages, and no process of the browser is left.
import { allPids, commandLineOf } from '../../src/fetch/browser/pool/processes.ts'
import type { Hold } from '../site/index.ts'
import { until } from '../support/cluster.ts'
import type { Trial, Turn } from './fault.ts'

const rendered = 6
const goneWithinMs = 5_000

export const browserWorkerKilled: Trial = {
  id: 'F4',
  about: 'a worker with a browser is killed',
  ways: ['at random'],
  async trial(turn) {
    const { rig } = turn
    const urls = Array.from({ length: rendered }, (_, at) => `${rig.site.url}/page/${at + 1}?rendered`)
    const job = { urls, render: 'always' as const, policy: { host: { rate: 'unlimited' as const } } }
    const inFlight = turn.chance.between(1, 3)
    using hold = rig.site.hold(`/page/${inFlight}`)
    const { jobId } = await rig.client.jobs.create(job)
    const wrong = await killOnce(turn, hold)
    hold.release()
    const next = await startBrowserWorker(turn)
    const { state } = await rig.ended(jobId)
    const { byState, records } = await rig.cluster.store.jobs.counts(jobId)
    await next.kill('SIGTERM')
    if (state !== 'completed' || byState.succeeded !== rendered || records !== rendered)
      wrong.push(`job ${jobId} ended as ${state} with ${records} records: ${JSON.stringify(byState)}`)
    return [...wrong, ...(await leftBehind(next.child.pid!))]
  },
}

/** Kills the worker while it waits for a page. Returns the violations. */
async function killOnce(turn: Turn, hold: Hold): Promise<string[]> {
  const first = await startBrowserWorker(turn)
  await hold.arrived()
  await first.kill('SIGKILL')
  return leftBehind(first.child.pid!)
}

const startBrowserWorker = ({ rig }: Turn) =>
  rig.cluster.start(['browser-worker'], { SCRAPER_BROWSER_POOL_SIZE: '1', SCRAPER_CONCURRENCY: '1' })

/** Browsers that still run although their worker is dead. The name of a browser's folder contains the pid of its worker. */
async function leftBehind(pid: number): Promise<string[]> {
  const browsers = () => allPids().filter(each => commandLineOf(each).includes(`kscrape-browser-${pid}-`))
  await until('the browsers of the worker to end', () => browsers().length === 0, goneWithinMs).catch(
    () => {},
  )
  return browsers().map(each => `a browser of worker ${pid} stays: ${each}`)
}
