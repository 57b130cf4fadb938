// How many decisions per second can one coordinator make? --workers 1000 --hosts 1000000 --jobs 20 --seconds 60 --gap 100
// Runs the real code of the coordinator with a simulated clock.
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { defaultLookAheadMs } from '../src/dispatch/dispatcher.ts'
import { releaseTasks } from '../src/pipeline/coordinate/release-tasks.ts'
import { remoteLookAhead } from '../src/pipeline/coordinate/remote-workers.ts'
import { learnSettled } from '../src/pipeline/coordinate/settle/learn-outcomes.ts'
import { loadNow, machine, today } from './measuring/machine.ts'
import { markdownTable, written } from './measuring/statistics.ts'
import { World } from './simulate/world.ts'

const { values: flags } = parseArgs({
  options: {
    workers: { type: 'string', default: '1000' },
    concurrency: { type: 'string', default: '16' },
    hosts: { type: 'string', default: '1000000' },
    jobs: { type: 'string', default: '20' },
    /** Seconds between two requests to one host. */
    gap: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
  },
})
/** Half of the planning window. Hosts that become due shortly after each other are planned together. */
const gatherMs = defaultLookAheadMs / 2

setFlagsFromString('--expose-gc')
const applyRetention = runInNewContext('gc') as () => void
const hosts = Number(flags.hosts)
const seconds = Number(flags.seconds)
const workers = Number(flags.workers)
const before = memoryMb()
const world = new World({
  ...{ workers, hosts, concurrency: Number(flags.concurrency), jobs: Number(flags.jobs) },
  ...{ tasksPerHost: 20, gapMs: Number(flags.gap) * 1_000, seed: Number(flags.seed) },
})
const { context } = world

const openedAt = performance.now()
const names = Array.from({ length: hosts }, (_, n) => `host-${n}.example`)
const perJob = Math.ceil(hosts / Number(flags.jobs))
for (let job = 0; job < Number(flags.jobs); job++)
  world.addJob(`job-${job}`, names.slice(job * perJob, (job + 1) * perJob), 20)
const openSeconds = (performance.now() - openedAt) / 1_000
const withHosts = memoryMb()

const until = world.now + seconds * 1_000
const smallAt = world.now + (seconds * 1_000) / 2
const most = context.settings.concurrency + remoteLookAhead * workers
const turns: number[] = []
let decisions = 0
let busyMs = 0
let heldMost = 0
let smallStartedMs: number | null = null
let isSmallThere = false

while (world.now < until) {
  if (!isSmallThere && world.now >= smallAt) {
    world.addJob('small', ['just-one.example'], 1, true)
    isSmallThere = true
  }
  const arrived = world.takeArrived()
  const startedAt = cpuMs()
  for (const { tasks } of arrived) await learnSettled(context, { tasks, added: [] })
  const { count, nextAt } = await releaseTasks(context, most - context.inFlight.size)
  const tookMs = cpuMs() - startedAt
  turns.push(tookMs)
  busyMs += tookMs
  decisions += count
  heldMost = Math.max(heldMost, context.inFlight.size)
  if (smallStartedMs === null && isSmallThere && context.jobs.get('small')!.inFlight > 0)
    smallStartedMs = world.now - smallAt
  world.now = Math.max(world.now + gatherMs, Math.min(nextAt ?? until, world.arrivals.peek()?.at ?? until))
}

const late = Float64Array.from(world.lateness).sort()
const turnMs = Float64Array.from(turns).sort()
const at = (sorted: Float64Array, share: number) =>
  sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN
console.log(`${today()}, ${machine()}, load ${loadNow()} at the end; seed ${flags.seed}.\n`)
console.log(
  markdownTable(
    ['measurement', 'measured'],
    [
      ['workers, requests in flight of each', `${written(workers)}, ${flags.concurrency}`],
      ['hosts with work, jobs', `${written(hosts)}, ${flags.jobs}`],
      ['requests per second that the hosts allow', written(hosts / Number(flags.gap))],
      ['simulated seconds', written(seconds)],
      ['released tasks', written(decisions)],
      ['released tasks per simulated second', written(decisions / seconds)],
      [
        'decisions (task sent and outcome processed) per second of CPU',
        written((decisions / busyMs) * 1_000),
      ],
      ['share of one core at that rate', `${written((busyMs / 1_000 / seconds) * 100, 1)} %`],
      ['hosts loaded, s', written(openSeconds, 1)],
      ['memory of a host with work, KB', written(((withHosts - before) * 1_024) / hosts, 2)],
      ['memory at the end, MB', written(memoryMb())],
      ['most tasks in flight', written(heldMost)],
      [
        'one loop of the coordinator, ms of CPU: median, p99, longest',
        [0.5, 0.99, 1].map(share => written(at(turnMs, share), 1)).join(', '),
      ],
      [
        'delay after the host was free, ms: median, p99, longest',
        [0.5, 0.99, 1].map(share => written(at(late, share))).join(', '),
      ],
      [
        'start of a job of one page that arrives meanwhile, after ms',
        smallStartedMs === null ? 'never' : written(smallStartedMs),
      ],
    ],
  ),
)

/** CPU time, so other work on the machine does not count. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

function memoryMb(): number {
  applyRetention()
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 2 ** 20
}
