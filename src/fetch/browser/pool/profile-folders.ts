// Profile folders of browsers. Their names identify the owning process, so that the folders of killed processes can be
// removed.
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { allPids, commandLineOf, endGroup, groupOf, startTimeOf } from './processes.ts'

const prefix = 'kscrape-browser-'

/** The name is `kscrape-browser-PID-STARTTIME-XXXXXX`. Pid and start time together identify the owning process, because
 *  pids are reused. */
export async function makeBrowserFolder(tempFolder: string): Promise<string> {
  const owner = `${process.pid}-${startTimeOf(process.pid) ?? '0'}`
  return mkdtemp(join(tempFolder, `${prefix}${owner}-`))
}

export async function makeDownloadsFolder(browserFolder: string): Promise<string> {
  await mkdir(join(browserFolder, 'downloads'), { recursive: true })
  return mkdtemp(join(browserFolder, 'downloads', 'of-'))
}

/** Retries, because an ending browser may still write into its folder. */
export const removeFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })

interface Swept {
  folders: number
  processes: number
}

/** Kills browsers whose owning process no longer runs, and removes their folders. */
export async function sweepOrphans(tempFolder: string): Promise<Swept> {
  const names = await readdir(tempFolder).catch((): string[] => [])
  const orphaned = names.filter(isOrphaned).map(name => join(tempFolder, name))
  const processes = orphaned.length === 0 ? 0 : await endUsers(orphaned)
  await Promise.all(orphaned.map(removeFolder))
  return { folders: orphaned.length, processes }
}

function isOrphaned(name: string): boolean {
  const found = /^kscrape-browser-(\d+)-(\d+)-/.exec(name)
  return found !== null && startTimeOf(Number(found[1])) !== found[2]
}

async function endUsers(folders: string[]): Promise<number> {
  const groups = new Set<number>()
  for (const pid of allPids()) {
    const commandLine = commandLineOf(pid)
    const group = groupOf(pid)
    if (group !== null && folders.some(folder => commandLine.includes(`--user-data-dir=${folder}`)))
      groups.add(group)
  }
  await Promise.all([...groups].map(endGroup))
  return groups.size
}
