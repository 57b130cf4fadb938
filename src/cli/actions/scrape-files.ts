// Writes the files of a scraped page: screenshot, PDF and downloads.
import { resolve } from 'node:path'
import { artifactBytes, writeFileInto } from '../../pipeline/report/job-artifacts.ts'
import type { DataDirectory } from '../../roles/data-directory.ts'
import type { FetchFlags } from '../flags/flags.ts'
import { nameOf } from '../show/summary.ts'

const kinds = [
  { flag: 'screenshot', ending: 'png' },
  { flag: 'pdf', ending: 'pdf' },
] as const

export async function writePageFiles(data: DataDirectory, jobId: string, flags: FetchFlags): Promise<void> {
  const task = await data.store.tasks.get(jobId, 1)
  for (const { flag, ending } of kinds) {
    const value = flags[flag] ?? (flag === 'screenshot' && flags.fullPage)
    const bytes = value ? await artifactBytes(data, jobId, 1, flag) : null
    if (!value || !task || bytes === null) continue
    const path = resolve(typeof value === 'string' ? value : `${pageName(task.url)}.${ending}`)
    await writeFileInto(path, bytes)
    if (!flags.quiet) process.stderr.write(`wrote ${nameOf(path)} (${bytes.length} bytes)\n`)
  }
}

/** `https://shop.example/item/1?x=2` → `shop.example-item-1-x-2` */
const pageName = (url: string): string =>
  url
    .replace(/^\w+:\/\//, '')
    .replace(/[^A-Za-z0-9.]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, 120) || 'page'
