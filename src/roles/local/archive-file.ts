// Web archives as files: checks a WACZ file, and shows an archive in the viewer that the user has installed.
import { open, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { Failure } from '../../model/failures.ts'
import { checkWacz, type WaczCheck } from '../../results/archives/check-wacz.ts'
import { type OpenViewer, openViewer } from '../../server/pages/archive-viewer.ts'

const viewerPackage = 'replaywebpage'

export async function checkArchive(file: string): Promise<WaczCheck> {
  await refuseIfMissing(file)
  await using handle = await open(file)
  return await checkWacz(handle)
}

export async function showArchive(file: string, port: number): Promise<OpenViewer> {
  await refuseIfMissing(file)
  if (!/\.(wacz|warc|warc\.gz)$/i.test(file))
    throw new Failure('input.invalid', `${file} is not a web archive; name a .wacz or .warc.gz file`)
  return openViewer({ file: resolve(file), viewer: findViewer(), port })
}

async function refuseIfMissing(file: string): Promise<void> {
  const found = await stat(file).catch(() => null)
  if (!found?.isFile()) throw new Failure('input.invalid', `there is no file ${file}`, { file })
}

/** Searches the folder of kscrape, npm's global packages and the current folder. The current folder is last, because it may
 *  belong to others. The viewer is not a dependency because of its licence (AGPL). */
function findViewer(): string {
  const global = join(dirname(process.execPath), '../lib/node_modules')
  for (const from of [import.meta.dirname, global, process.cwd()]) {
    const folder = folderIn(from)
    if (folder) return folder
  }
  throw new Failure(
    'input.invalid',
    `the viewer is not installed; run "npm install ${viewerPackage}" in this folder, or open the archive at https://replayweb.page`,
    { package: viewerPackage },
  )
}

/** Finds the folder by the viewer's page, because the package does not export its package.json. */
function folderIn(from: string): string | null {
  try {
    return dirname(createRequire(join(from, 'package.json')).resolve(`${viewerPackage}/index.html`))
  } catch {
    return null
  }
}
