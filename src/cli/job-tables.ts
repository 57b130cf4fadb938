// Tables about a job, for people.
import type { Job, JobCounts } from '../model/job.ts'
import { taskStates } from '../model/task.ts'
import type { Store } from '../ports/store.ts'

export function table(head: string[], rows: string[][]): string {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map(row => row[column]!.length)))
  const line = (cells: string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd()
  return [line(head), ...rows.map(line)].join('\n')
}

type Print = (line: string) => void

export function showCounts(counts: JobCounts, job: Job, print: Print): void {
  print(`  tasks ${counts.tasks}, records ${counts.records}, ${(counts.bytes / 1e6).toFixed(1)} MB fetched`)
  print(
    `  by state:  ${
      taskStates
        .filter(state => counts.byState[state] > 0)
        .map(state => `${state} ${counts.byState[state]}`)
        .join(', ') || 'none yet'
    }`,
  )
  print(`  by reason: ${reasonText(counts.byReason)}`)
  if (Object.keys(counts.linksRefused).length > 0)
    print(`  links left alone: ${reasonText(counts.linksRefused)}`)
  const { source, rows, blank, rejected, duplicates, done } = job.ingest
  if (source)
    print(
      `  rows of ${source}: ${rows} read${done ? '' : ' so far'} = ${counts.tasks} tasks + ${duplicates} duplicates + ${rejected} rejected + ${blank} blank`,
    )
}

const reasonText = (reasons: Partial<Record<string, number>>): string =>
  Object.entries(reasons)
    .sort(([, a], [, b]) => (b ?? 0) - (a ?? 0))
    .map(([reason, count]) => `${reason} ${count}`)
    .join(', ') || 'none yet'

export async function showHosts(store: Store, jobId: string, print: Print): Promise<void> {
  const hosts = await store.hosts.ofJob(jobId, 10)
  for (const { host, byState } of hosts) {
    const counts = Object.entries(byState).map(([state, count]) => `${state} ${count}`)
    if (host) print(`  host ${host}: ${counts.join(', ')}`)
  }
}

export async function showOutputs(store: Store, jobId: string, print: Print): Promise<void> {
  for (const output of await store.outputs.list(jobId))
    print(`  output ${output.path}: ${output.done ? 'complete' : 'growing'}`)
}
