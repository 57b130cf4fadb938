// The action of kscrape erase.

import type { ErasureReceipt } from '../../model/api/operations.ts'
import { crawlPattern } from '../../model/conduct.ts'
import { Failure } from '../../model/failures.ts'
import { mapKeys, snake } from '../../model/letter-case.ts'
import { eraseAt } from '../../roles/maintenance/erase.ts'
import type { CommonFlags } from '../flags/flags.ts'
import { settingsFor } from '../jobs/read-data-directory.ts'
import { print, printJson } from '../print.ts'
import { serviceFor } from '../service.ts'
import { safe } from '../talk.ts'

interface EraseFlags extends CommonFlags {
  host: string
  dryRun?: boolean
  yes?: boolean
  andNeverAgain?: boolean
  reason?: string
}

export async function erase(flags: EraseFlags): Promise<void> {
  const host = hostOf(flags.host)
  const dryRun = Boolean(flags.dryRun) || !flags.yes
  const receipt = await receiptOf(flags, host, dryRun)
  if (flags.json) printJson(mapKeys(receipt, snake))
  else for (const line of linesOf(receipt)) print(line)
  if (dryRun && !flags.dryRun)
    throw new Failure(
      'input.invalid',
      `nothing was erased: add --yes to erase the data of ${host} permanently`,
    )
}

async function receiptOf(flags: EraseFlags, host: string, dryRun: boolean): Promise<ErasureReceipt> {
  const { reason } = flags
  const neverAgain = Boolean(flags.andNeverAgain)
  const service = await serviceFor(flags)
  const why = reason === undefined ? {} : { reason }
  if (service) return service.hosts.erase(host, { dryRun, andNeverAgain: neverAgain, ...why })
  const { settings } = await settingsFor(flags)
  // The flag --data-dir has precedence over DATABASE_URL of the environment.
  const where = flags.dataDir === undefined ? settings : { ...settings, databaseUrl: undefined }
  return eraseAt(where, { host, by: 'command line', dryRun, neverAgain, ...why })
}

export function hostOf(text: string): string {
  const pattern = crawlPattern(text)
  if (pattern !== null && !pattern.includes('/')) return pattern
  throw new Failure(
    'input.invalid',
    `--host: "${text}" is not a host; write it like example.com or *.example.com`,
  )
}

const words: Record<keyof ErasureReceipt['counts'], string> = {
  jobs: 'jobs with data of the host',
  tasks: 'tasks, without their URLs and inputs',
  records: 'records',
  pages: 'raw pages, overwritten in place',
  files: 'screenshots, downloads and files of items',
  exports: 'output files of a service, rewritten without the data',
  robots: 'robots.txt',
  hosts: 'stored host states',
  cookies: 'cookies and storage in sessions',
  webhooks: 'webhooks that mention the host',
  rejected: 'rejected rows that name the host',
  modelAnswers: 'responses of language models, for all hosts',
}

export function linesOf({ host, at, dryRun, neverAgain, counts, notes }: ErasureReceipt): string[] {
  const head = dryRun ? `${host}: would be erased` : `${host}: erased at ${at}`
  const rows = Object.entries(words).map(([name, about]) => {
    const count = counts[name as keyof typeof words]
    return `  ${String(count).padStart(8)}  ${about}`
  })
  const listed = neverAgain && !dryRun ? ['  the host is on the do-not-crawl list'] : []
  return [head, ...rows, ...listed, ...notes.map(note => `  note: ${safe(note)}`)]
}
