// The end of a job, told: what came out by reason, which files were written, and what to do next.
import type { Job, JobCounts } from '../model/job.ts'
import type { Talk } from './talk.ts'

export function sayEnding(talk: Talk, job: Job, counts: JobCounts, took: number, dataDir: string): void {
  const { colors, say } = talk
  const head = job.state === 'completed' ? colors.green(job.state) : colors.yellow(job.state)
  say(
    `${head} ${colors.bold(job.id)}: ${counts.records} records from ${counts.pages} pages in ${(took / 1_000).toFixed(1)} s`,
  )
  for (const [reason, count] of outcomeRows(counts)) say(`  ${String(count).padStart(7)}  ${reason}`)
  const { blank, rejected, duplicates } = job.ingest
  if (rejected + duplicates + blank > 0)
    say(`  rows not run: ${duplicates} duplicate, ${rejected} rejected, ${blank} blank or comment`)
  for (const { path } of job.spec.output) if (path !== '-') say(`  wrote ${path}`)
  for (const line of nextCommands(job, counts, dataDir)) say(colors.dim(`  ${line}`))
}

/** `ok` first, then by how often. */
function outcomeRows({ byReason }: JobCounts): Array<[string, number]> {
  const rows = Object.entries(byReason).filter(([, count]) => count > 0)
  return rows.sort(([a, x], [b, y]) => Number(b === 'ok') - Number(a === 'ok') || y - x)
}

function nextCommands(job: Job, counts: JobCounts, dataDir: string): string[] {
  const where = dataDir === '.kscrape' ? '' : ` --data-dir ${dataDir}`
  const lines: string[] = []
  if (job.state === 'paused') lines.push(`go on:   kscrape jobs resume ${job.id}${where}`)
  if (counts.byState.failed > 0) lines.push(`again:   kscrape jobs retry ${job.id} --failed${where}`)
  if (counts.byState.failed + counts.byState.skipped > 0)
    lines.push(`why:     kscrape explain ${job.id} URL${where}`)
  if (job.ingest.rejected > 0) lines.push(`rejects: kscrape jobs show ${job.id} --rejected${where}`)
  if (counts.records > 0 && job.spec.output.every(output => output.path === '-'))
    lines.push(`export:  kscrape jobs export ${job.id} -o pages.csv${where}`)
  return lines
}
