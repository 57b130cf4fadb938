// The actions of kscrape archive.
import { once } from 'node:events'
import { Failure } from '../../model/failures.ts'
import { checkArchive, showArchive } from '../../roles/local/archive-file.ts'
import { print, printJson } from '../print.ts'

export async function checkArchiveFile(file: string, { json = false }: { json?: boolean }): Promise<void> {
  const { problems, ...counts } = await checkArchive(file)
  if (json) printJson({ file, ok: problems.length === 0, ...counts, problems })
  else {
    for (const { where, what } of problems) print(`${where}: ${what}`)
    const { files, records, indexed, pages } = counts
    print(`${file}: ${records} records in ${files} WARC files, ${indexed} lines in the index, ${pages} pages`)
  }
  if (problems.length > 0)
    throw new Failure(
      'input.invalid',
      `${file} has ${problems.length} problems; export the job again with "kscrape jobs export JOB -o FILE.wacz"`,
    )
}

/** Serves the viewer until the user interrupts it. */
export async function showArchiveFile(
  file: string,
  { port = 0, json = false }: { port?: number; json?: boolean },
): Promise<void> {
  await using viewer = await showArchive(file, port)
  if (json) printJson({ url: viewer.url })
  else print(`open ${viewer.url}\n(stop with Ctrl-C)`)
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
}
