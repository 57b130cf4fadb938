// A file that is deleted after the test.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TemporaryFile extends AsyncDisposable {
  path: string
}

export async function temporaryFile(name: string, content: string | Uint8Array): Promise<TemporaryFile> {
  const folder = await mkdtemp(join(tmpdir(), 'kscrape-file-'))
  const path = join(folder, name)
  await writeFile(path, content)
  return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}
