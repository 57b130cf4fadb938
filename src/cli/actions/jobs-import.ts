// kscrape jobs import: moves an embedded data directory into a cluster.
import { resolve } from 'node:path'
import { loadSettings } from '../../config/load.ts'
import { mapKeys, snake } from '../../model/letter-case.ts'
import type { MoveProgress } from '../../pipeline/keep/move-parts.ts'
import type { Moved } from '../../pipeline/keep/move-store.ts'
import { importData } from '../../roles/cluster/import-data.ts'
import type { CommonFlags } from '../flags/flags.ts'
import { printJson } from '../print.ts'
import { safe, type Talk, talkOn } from '../talk.ts'

const lineMs = 1_000

export async function importJobs(dir: string, flags: CommonFlags): Promise<void> {
  const { settings } = await loadSettings()
  const talk = talkOn(process.stderr, flags)
  const moved = await importData(settings, resolve(dir), {
    tell: progressOn(talk),
    complain: text => {
      talk.say(`${talk.colors.yellow('note')} ${safe(text)}`)
      talk.tell({ note: text })
    },
  })
  if (flags.json) printJson(mapKeys(moved, snake))
  else talk.say(summaryOf(moved))
}

/** Prints at most one line per second, and one for each completed step. */
function progressOn(talk: Talk): (progress: MoveProgress) => void {
  let last = 0
  return ({ jobId, piece, done, total }) => {
    if (total === 0 || (done < total && Date.now() - last < lineMs)) return
    last = Date.now()
    const name = piece.replaceAll('_', ' ')
    const of = `${done.toLocaleString('en-US')} of ${total.toLocaleString('en-US')} ${name}`
    talk.say(`${jobId === null ? '' : `${jobId}: `}${of}`)
    talk.tell({ ...(jobId && { job_id: jobId }), piece, done, total })
  }
}

function summaryOf({ jobs, before, refused, rows, files }: Moved): string {
  const parts = [
    `${jobs} jobs moved (${rows.toLocaleString('en-US')} rows, ${files.toLocaleString('en-US')} files)`,
    ...(before > 0 ? [`${before} were moved before`] : []),
    ...(refused.length > 0 ? [`${refused.length} were not moved`] : []),
  ]
  return parts.join(', ')
}
