// The actions of kscrape sinks, in the data directory or in the store of a cluster (DATABASE_URL).
import { taskId } from '../../model/ids.ts'
import { openStore } from '../../roles/cluster/services.ts'
import { visitDataDirectory } from '../../roles/data-directory.ts'
import { openSearchName, resendToOpenSearch } from '../../roles/service/feed-opensearch.ts'
import type { CommonFlags } from '../flags/flags.ts'
import { settingsFor } from '../jobs/read-data-directory.ts'
import { print, printJson } from '../print.ts'
import { table } from '../show/job-tables.ts'
import { safe, talkOn } from '../talk.ts'

async function opened(flags: CommonFlags) {
  const { settings } = await settingsFor(flags)
  if (settings.databaseUrl !== undefined) {
    const store = await openStore(settings)
    return { settings, store, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
  }
  const data = await visitDataDirectory(settings.dataDir)
  return { settings, store: data.store, [Symbol.asyncDispose]: () => data[Symbol.asyncDispose]() }
}

export async function listDeadLetters(flags: CommonFlags & { limit: number }): Promise<void> {
  await using place = await opened(flags)
  const letters = await place.store.sinks.deadLetters(openSearchName, { limit: flags.limit })
  if (!flags.json) {
    const rows = letters.map(({ jobId, n, index, at, reason }) => [
      `${taskId(jobId, n)} ${index}`,
      new Date(at).toISOString(),
      safe(reason),
    ])
    return print(table(['record', 'refused', 'why'], rows))
  }
  for (const { jobId, n, index, at, reason } of letters)
    printJson({ job_id: jobId, task: n, index, at: new Date(at).toISOString(), reason })
}

export async function resendDeadLetters(flags: CommonFlags): Promise<void> {
  await using place = await opened(flags)
  const counts = await resendToOpenSearch(place.store, place.settings, new AbortController().signal)
  if (flags.json) return printJson(counts)
  const { taken, refused, gone } = counts
  talkOn(process.stderr, flags).say(`${taken} accepted, ${refused} rejected again, ${gone} deleted meanwhile`)
}
