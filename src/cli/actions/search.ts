// The action of kscrape search.
import type { FoundRecord } from '../../client.ts'
import { parseFilter } from '../../lib/text/field-filters.ts'
import { Failure } from '../../model/failures.ts'
import type { CommonFlags } from '../flags/flags.ts'
import { print, printJson } from '../print.ts'
import { serviceNeeded } from '../service.ts'
import { safe } from '../talk.ts'

interface SearchFlags extends CommonFlags {
  filter?: string[]
  job?: string
  host?: string
  limit: number
}

export async function findRecords(words: string[], flags: SearchFlags): Promise<void> {
  const { filter = [], job, host, limit } = flags
  if (words.length + filter.length === 0 && job === undefined && host === undefined)
    throw new Failure('input.invalid', 'nothing to search for: give words, --filter, --job or --host')
  const client = await serviceNeeded(flags, 'records that can be searched')
  const query = {
    ...(words.length > 0 && { text: words.join(' ') }),
    filters: filter.map(text => parseFilter(text)),
    ...(job !== undefined && { jobId: job }),
    ...(host !== undefined && { host }),
  }
  let shown = 0
  for await (const record of client.search(query, { pageSize: Math.min(limit, 1_000) })) {
    flags.json ? printJson(factsOf(record)) : print(lineOf(record))
    shown += 1
    if (shown >= limit) return
  }
}

/** A record with the field names of exports. */
const factsOf = ({ data, jobId, taskId, url, finalUrl, httpStatus, fetchedAt, scraper }: FoundRecord) => ({
  ...data,
  _page: {
    ...{ job_id: jobId, task_id: taskId, url, final_url: finalUrl },
    ...{ status: httpStatus, fetched_at: fetchedAt, scraper },
  },
})

const mostText = 100

function lineOf({ url, taskId, data }: FoundRecord): string {
  const named = Object.values(data).find(value => typeof value === 'string' && value !== url && value !== '')
  const text = safe(String(data.title ?? data.name ?? named ?? ''))
  return `${taskId}  ${safe(url)}  ${text.length > mostText ? `${text.slice(0, mostText)}…` : text}`
}
