// Decides which quick files share a process. Loading the product takes half of the CPU time of a small file.
import { dirname } from 'node:path'
import { tierOf } from './choose.ts'

/** Files in `src` are small. A group of other files must not become the last one to run. */
const filesInGroup = { src: 24, other: 6 }

/** A file that changes or measures the whole process runs alone. */
const needsOwnProcess =
  /process\.(on|once|emit|exit|exitCode|chdir|umask|memoryUsage|cpuUsage)\b|process\.env(\.\w+|\[.+?\]) = |delete process\.env|\bmock\.|globalThis\.\w+ = |Math\.random = |setGlobalDispatcher/

/** Keeps the order of the files. A group holds quick files of one folder that follow each other, apart from files that run alone. */
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

/** Files of subfolders of `src` import much the same; those of `test/system` do not. */
const folderOf = (file: string): string =>
  dirname(file)
    .split('/')
    .slice(0, file.startsWith('src/') ? 2 : 3)
    .join('/')
