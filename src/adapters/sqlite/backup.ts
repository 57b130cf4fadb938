// Copies the store in one consistent state while other processes write to it, and changes paths in a copy that is restored
// elsewhere.
import { existsSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import { Failure } from '../../model/failures.ts'
import { Connection } from './connection.ts'
import { asStoreFailure } from './failures.ts'
import { refuseNewer } from './migrations.ts'

/** Number of database pages per step, 4 MB. Smaller steps take more time, and larger steps report progress less often. */
const pagesPerStep = 1_000

/** Copies the store. `tell` gets the progress in database pages. */
export async function copyStore(
  path: string,
  target: string,
  tell: (done: number, total: number) => void,
): Promise<void> {
  if (!existsSync(path))
    throw new Failure('storage.failed', `there is no store at ${path}: name another place with --data-dir`, {
      path,
    })
  const source = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  try {
    // A read transaction sees one state, so a commit of another process does not restart the copy.
    source.exec('BEGIN; SELECT count(*) FROM jobs')
    await backup(source, target, {
      rate: pagesPerStep,
      progress: ({ totalPages, remainingPages }) => tell(totalPages - remainingPages, totalPages),
    })
  } catch (error) {
    throw asStoreFailure(error, path)
  } finally {
    source.close()
  }
}

/** Throws if the file is damaged, or if a newer version made it. */
export function checkStoreCopy(path: string): void {
  try {
    using connection = new Connection({ path, readOnly: false, busyTimeoutMs: 0 })
    refuseNewer(connection)
    const found = connection.all<{ quick_check: string }>('PRAGMA quick_check(1)')
    if (found[0]?.quick_check === 'ok') return
    throw new Failure('storage.failed', `${path} is damaged: ${found[0]?.quick_check}`, { path })
  } catch (error) {
    throw asStoreFailure(error, path)
  }
}

/** Changes stored file paths: those below `from` are now below `to`. */
export function moveStorePaths(path: string, from: string, to: string): void {
  using connection = new Connection({ path, readOnly: false, busyTimeoutMs: 0 })
  const moved = (file: string): string => (file.startsWith(`${from}/`) ? to + file.slice(from.length) : file)
  connection.write(() => {
    connection.run(
      `UPDATE outputs SET path = ?1 || substr(path, length(?2) + 1) WHERE substr(path, 1, length(?2) + 1) = ?2 || '/'`,
      to,
      from,
    )
    for (const { job_no, ingest } of connection.all<{ job_no: number; ingest: string }>(
      'SELECT job_no, ingest FROM jobs',
    ))
      moveIngest(connection, job_no, ingest, moved)
    for (const { job_no, spec } of connection.all<{ job_no: number; spec: string }>(specsWithFiles, from))
      moveOutputs(connection, job_no, spec, moved)
  })
}

const specsWithFiles = 'SELECT job_no, spec FROM job_specs WHERE instr(spec, ?) > 0'

function moveIngest(connection: Connection, jobNo: number, text: string, moved: (file: string) => string) {
  const ingest = JSON.parse(text) as { source: string | null }
  if (ingest.source === null || moved(ingest.source) === ingest.source) return
  const changed = JSON.stringify({ ...ingest, source: moved(ingest.source) })
  connection.run('UPDATE jobs SET ingest = ? WHERE job_no = ?', changed, jobNo)
}

function moveOutputs(connection: Connection, jobNo: number, text: string, moved: (file: string) => string) {
  const spec = JSON.parse(text) as { output?: Array<{ path: string }> }
  const output = spec.output?.map(file => ({ ...file, path: moved(file.path) }))
  connection.run('UPDATE job_specs SET spec = ? WHERE job_no = ?', JSON.stringify({ ...spec, output }), jobNo)
}
