// Runs one job over many hosts in a separate process, and prints the cost of a task.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { settingsSchema } from '../../src/config/settings.ts'
import { parseJobSpec } from '../../src/pipeline/submit/submit-job.ts'
import { Engine } from '../../src/roles/engine.ts'
import { hostAddress } from './addresses.ts'

export interface JobInput {
  port: number
  hosts: number
  /** The number of requests that may be in flight. */
  places: number
  tasks: number
  policies: string
  data: string
}

export interface JobCost {
  cpuMsPerTask: number
  tasksPerSecond: number
  peakMemoryMb: number
}

const { port, hosts, places, tasks, policies, data } = JSON.parse(process.argv[2] ?? '{}') as JobInput
const place = (index: number) => `${hostAddress(index)}:${port}`
const allowPrivate = Array.from({ length: places }, (_, index) => place(index))
const settings = settingsSchema.parse({ dataDir: data, allowPrivate, domainPolicies: policies })
const stdout = new Writable({ write: (_chunk, _encoding, done) => done() })
await using engine = await Engine.open(
  { settings, root: data, configFile: null },
  { command: 'bench', stop: new AbortController().signal, stdout },
)
// The list alternates between hosts, like links from many sites.
const list = join(data, 'urls.txt')
const urls = Array.from({ length: tasks }, (_, index) => `http://${place(index % hosts)}/page/${index}`)
writeFileSync(list, urls.join('\n'))
const spec = parseJobSpec({
  policy: { host: { rate: 'unlimited' }, robots: 'ignore' },
  results: { raw: 'none' },
})
const job = await engine.submit(spec, { source: list })
const before = process.cpuUsage()
const startedAt = performance.now()
await engine.run()
const seconds = (performance.now() - startedAt) / 1_000
const { user, system } = process.cpuUsage(before)
const counts = await engine.data.store.jobs.counts(job.id)
if (counts.byState.succeeded !== tasks)
  throw new Error(`${counts.byState.succeeded} of ${tasks}: ${JSON.stringify(counts.byReason)}`)
const cost: JobCost = {
  cpuMsPerTask: (user + system) / 1_000 / tasks,
  tasksPerSecond: tasks / seconds,
  peakMemoryMb: process.resourceUsage().maxRSS / 1_024,
}
process.stdout.write(JSON.stringify(cost))
