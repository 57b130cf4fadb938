// Do 10,000 hosts with policies of their own cost more than one? --hosts 10000 --pages 10 --rounds 3
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

await using server = await ManyHosts.start(workDirectory, Number(flags.pages))
const policies = join(workDirectory, 'policies.yaml')
writeFileSync(policies, policiesFor(hosts))

function costOf(name: string, hostCount: number): JobCost {
  const input: JobInput = {
    port: server.port,
    hosts: hostCount,
    tasks,
    policies,
    data: join(workDirectory, name),
  }
  const run = join(import.meta.dirname, 'hosts', 'run-job.ts')
  const args = ['--disable-warning=ExperimentalWarning', run, JSON.stringify(input)]
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1e8 })
  rmSync(input.data, { recursive: true, force: true })
  if (status !== 0) throw new Error(`${name} ended with ${status}:\n${stderr}`)
  return JSON.parse(stdout) as JobCost
}

const one: JobCost[] = []
const many: JobCost[] = []
for (let round = 0; round < Number(flags.rounds); round++) {
  // In turn, and the other way round the next time, so that neither always runs on the warmer machine.
  const order = round % 2 === 0 ? [1, hosts] : [hosts, 1]
  for (const count of order) {
    const cost = costOf(count === 1 ? 'one' : 'many', count)
    const kept = count === 1 ? one : many
    kept.push(cost)
    console.error(
      `${round + 1}  ${String(count).padStart(6)} hosts  ${written(cost.cpuMsPerTask * 1_000)} µs CPU a task, ${written(cost.tasksPerSecond)} tasks/s`,
    )
  }
}

const row = (name: string, costs: JobCost[]): string[] => [
  name,
  withRange(costs.map(({ cpuMsPerTask }) => cpuMsPerTask * 1_000)),
  withRange(costs.map(({ tasksPerSecond }) => tasksPerSecond)),
  withRange(costs.map(({ peakMemoryMb }) => peakMemoryMb)),
]
const ratio = median(many.map((cost, index) => cost.cpuMsPerTask / one[index]!.cpuMsPerTask))
const memoryMb = tableMemory(hosts, hostAddress)
console.log(
  [
    `${today()}, ${machine()}, load ${loadNow()} at the end; ${flags.rounds} rounds of ${written(tasks)} tasks.`,
    markdownTable(
      ['job', 'CPU a task, µs', 'tasks/s', 'peak memory, MB'],
      [row('one host', one), row(`${written(hosts)} hosts with policies of their own`, many)],
    ),
    `CPU a task, ${written(hosts)} hosts to one: ${written(ratio, 3)} (at most 1.05)`,
    `The table of ${written(hosts)} hosts: ${written(memoryMb, 1)} MB (under 50)`,
  ].join('\n\n'),
)
