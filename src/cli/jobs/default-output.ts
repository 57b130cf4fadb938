// Names the output file of a job without -o on a terminal. Records on the terminal would be unreadable between lines of progress.
import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import type { GivenSpec, Output } from '../../model/job.ts'
import { outputOf } from '../../pipeline/submit/output-of.ts'

const onStdout: Output = { path: '-', format: 'jsonl' }

/** A new file, named after the site or the list. In a pipe, records go to stdout instead. */
export function defaultOutput(
  { seedUrls, urls, items }: GivenSpec,
  source: string | undefined,
  isTerminal = Boolean(process.stdout.isTTY),
): Output {
  if (!isTerminal) return onStdout
  const url = seedUrls?.[0] ?? urls?.[0]
  const name =
    source !== undefined ? listName(source) : url ? new URL(url).hostname : items ? 'items' : 'records'
  return outputOf(freeName(name.replace(/[^\w.-]+/g, '-').replace(/^-+/, '') || 'records'))
}

/** A name for the records of a list: `urls.csv.gz` becomes `urls-records`, so the list itself is not overwritten. */
const listName = (source: string): string => `${basename(source).split('.')[0]}-records`

function freeName(name: string): string {
  const path = (number: number) => `${name}${number === 1 ? '' : `-${number}`}.jsonl`
  let number = 1
  while (existsSync(path(number))) number += 1
  return path(number)
}
