// Decides which quick files share a process. Loading the product takes half of the CPU time of a small file.
import { dirname } from 'node:path'
import { tierOf } from './choose.ts'

/** Files in `src` are small. Other files form smaller groups, so that no large group is still running when all other files have ended. */
const filesInGroup = { src: 24, other: 6 }

/** A file that changes or measures the whole process runs alone. */
const needsOwnProcess =
  /process\.(on|once|emit|exit|exitCode|chdir|umask|memoryUsage|cpuUsage)\b|process\.env(\.\w+|\[.+?\]) = |delete process\.env|\bmock\.|globalThis\.\w+ = |Math\.random = |setGlobalDispatcher/

/** Puts quick files of the same folder into groups, in the order of `files`. Each other file, and each file that needs its own
 *  process, is a group by itself. */
export function groupsOf(files: readonly string[], textOf: (file: string) => string): string[][] {
  const groups: string[][] = []
  const open = new Map<string, string[]>()
  for (const file of files) {
    if (tierOf(file) !== 'quick' || needsOwnProcess.test(textOf(file))) {
      groups.push([file])
      continue
    }
    const folder = folderOf(file)
    const group = open.get(folder)
    if (group !== undefined && group.length < limitOf(file)) {
      group.push(file)
      continue
    }
    const started = [file]
    open.set(folder, started)
    groups.push(started)
  }
  return groups
}

const limitOf = (file: string): number => (file.startsWith('src/') ? filesInGroup.src : filesInGroup.other)

/** Test files in subfolders of `src` import mostly the same modules, so they may share a group; those of `test/system` do not. */
const folderOf = (file: string): string =>
  dirname(file)
    .split('/')
    .slice(0, file.startsWith('src/') ? 2 : 3)
    .join('/')
