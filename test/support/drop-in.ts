// Third-party programs, unmodified, each in its own folder in test/drop-in. Nightly tests install their programs first.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../..')

/** Installs the packages of the folder if they are missing, and returns its node_modules. */
export async function installedDropIn(folder: string): Promise<string> {
  await promisify(execFile)(join(root, 'ci/drop-in'), [folder])
  return join(root, 'test/drop-in', folder, 'node_modules')
}
