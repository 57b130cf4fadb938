// Runs many groups of test files side by side, then each failed file once more on its own.
import type { FileRun } from './run-file.ts'

export interface Outcome {
  /** The last run of each file. */
  runs: FileRun[]
  /** First runs of files that failed and then passed. */
  flaky: FileRun[]
}

export const hasFailed = (run: FileRun): boolean => run.results.some(({ state }) => state === 'failed')

/** `ended` is called for each file; `isAgain` says that it is the second run of the file. */
export async function runAll(
  groups: ReadonlyArray<readonly string[]>,
  lanes: number,
  run: (files: readonly string[]) => Promise<FileRun[]>,
  ended: (run: FileRun, isAgain: boolean) => void,
): Promise<Outcome> {
  const all = await inLanes(groups, lanes, async files => {
    const runs = await run(files)
    for (const one of runs) ended(one, false)
    return runs
  })
  const first = all.flat()
  // A file that is the only one of the run has already run alone.
  if (first.length === 1) return { runs: first, flaky: [] }
  const flaky: FileRun[] = []
  const runs: FileRun[] = []
  for (const one of first) {
    if (!hasFailed(one)) {
      runs.push(one)
      continue
    }
    const [again] = (await run([one.file])) as [FileRun]
    ended(again, true)
    runs.push(again)
    if (!hasFailed(again)) flaky.push(one)
  }
  return { runs, flaky }
}

async function inLanes<T, R>(
  items: readonly T[],
  lanes: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const done: R[] = []
  const waiting = items.entries()
  const lane = async () => {
    for (const [index, item] of waiting) done[index] = await work(item)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return done
}
