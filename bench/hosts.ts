// Do 10,000 hosts with their own policies cost more than one host? --hosts 10000 --pages 10 --rounds 3
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { hostAddress, policiesFor } from './hosts/addresses.ts'
import { ManyHosts } from './hosts/many-hosts.ts'
import type { JobCost, JobInput } from './hosts/run-job.ts'
import { tableMemory } from './hosts/table-memory.ts'
import { loadNow, machine, today } from './measuring/machine.ts'
import { markdownTable, median, withRange, written } from './measuring/statistics.ts'

const { values: flags } = parseArgs({
  options: {
    hosts: { type: 'string', default: '10000' },
    pages: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
  },
})
const hosts = Number(flags.hosts)
const tasks = hosts * Number(flags.pages)
const workDirectory = join(import.meta.dirname, '.work', 'hosts')
rmSync(workDirectory, { recursive: true, force: true })
mkdirSync(workDirectory, { recursive: true })

const policies = join(workDirectory, 'policies.yaml')
writeFileSync(policies, policiesFor(hosts))

interface Measured extends JobCost {
  connections: number
}

/** With `requests`, the server closes a connection after this many requests. */
async function costOf(hostCount: number, requests: number): Promise<Measured> {
  await using server = await ManyHosts.start(workDirectory, requests)
  const input: JobInput = {
    ...{ port: server.port, hosts: hostCount, places: hosts, tasks, policies },
    data: join(workDirectory, 'data'),
  }
  const run = join(import.meta.dirname, 'hosts', 'run-job.ts')
  const args = ['--disable-warning=ExperimentalWarning', run, JSON.stringify(input)]
  const before = await server.accepted()
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1e8 })
  rmSync(input.data, { recursive: true, force: true })
  if (status !== 0) throw new Error(`${hostCount} hosts ended with ${status}:\n${stderr}`)
  const connections = (await server.accepted()) - before - 1
  return { ...(JSON.parse(stdout) as JobCost), connections }
}

const keepsAll = 1_000_000
const many: Measured[] = []
const asMany: Measured[] = []
const kept: Measured[] = []

async function measure(list: Measured[], hostCount: number, requests: number): Promise<Measured> {
  const cost = await costOf(hostCount, requests)
  list.push(cost)
  console.error(
    `${list.length}  ${String(hostCount).padStart(6)} hosts  ${written(cost.cpuMsPerTask * 1_000)} µs CPU a task, ${written(cost.tasksPerSecond)} tasks/s, ${written(cost.connections)} connections`,
  )
  return cost
}

for (let round = 0; round < Number(flags.rounds); round++) {
  const { connections } = await measure(many, hosts, keepsAll)
  // Many hosts need many connections. With the single host, the server closes connections so often that it needs as many. Then
  // the two jobs differ only in the number of hosts.
  await measure(asMany, 1, Math.max(1, Math.round(tasks / connections)))
  await measure(kept, 1, keepsAll)
}

const row = (name: string, costs: Measured[]): string[] => [
  name,
  withRange(costs.map(({ cpuMsPerTask }) => cpuMsPerTask * 1_000)),
  withRange(costs.map(({ tasksPerSecond }) => tasksPerSecond)),
  withRange(costs.map(({ connections }) => connections)),
  withRange(costs.map(({ peakMemoryMb }) => peakMemoryMb)),
]
const ratioTo = (base: Measured[]): string =>
  written(median(many.map((cost, index) => cost.cpuMsPerTask / base[index]!.cpuMsPerTask)), 3)
const memoryMb = tableMemory(hosts, hostAddress)
console.log(
  [
    `${today()}, ${machine()}, load ${loadNow()} at the end; ${flags.rounds} rounds of ${written(tasks)} tasks.`,
    markdownTable(
      ['job', 'CPU a task, µs', 'tasks/s', 'connections', 'peak memory, MB'],
      [
        row(`${written(hosts)} hosts with policies of their own`, many),
        row('one host that takes as many connections', asMany),
        row('one host that keeps its connections', kept),
      ],
    ),
    `CPU per task, ${written(hosts)} hosts ÷ one host: ${ratioTo(asMany)} if it takes as many connections (at most 1.05), ${ratioTo(kept)} if it keeps its connections`,
    `The table of ${written(hosts)} hosts: ${written(memoryMb, 1)} MB (under 50)`,
  ].join('\n\n'),
)
