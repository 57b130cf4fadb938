// Runs regular expressions of users in a separate thread, which can be ended if one hangs.
import { parentPort } from 'node:worker_threads'
import { clockMark, type RegexJob, type RegexProgress } from './regex-jobs.ts'

/** Maximum number of matches that are returned for a field. */
const maxFound = 10_000

parentPort!.on('message', ({ jobs, progress }: { jobs: RegexJob[]; progress: RegexProgress }) => {
  jobs.forEach((job, index) => {
    // Store the time before the job number, because the other thread reads the number first.
    Atomics.store(progress, 1, clockMark(Date.now()))
    Atomics.store(progress, 0, index + 1)
    parentPort!.postMessage(findAll(job))
  })
  Atomics.store(progress, 0, 0)
})

function findAll({ pattern, flags, text, many }: RegexJob): string[] {
  const expression = new RegExp(pattern, many ? `${flags}g` : flags)
  if (!many) return taken(expression.exec(text))
  const found: string[] = []
  for (const match of text.matchAll(expression)) {
    found.push(...taken(match))
    if (found.length >= maxFound) break
  }
  return found
}

/** The first group that matched, or the whole match if the pattern has no group. */
function taken(match: RegExpExecArray | null): string[] {
  if (match === null) return []
  if (match.length === 1) return [match[0]]
  const first = match.slice(1).find(group => group !== undefined)
  return first === undefined ? [] : [first]
}
