// Reads lists of any length page by page.
import type { StoredRecord } from '../model/record.ts'
import type { Attempt, Task, TaskState } from '../model/task.ts'
import type { FailedTask, RecordReader, TaskStore } from '../ports/store.ts'
import { isLastList } from './listed-records.ts'

interface Numbered<Entry> {
  read: (range: { after: number; limit: number }) => Promise<Entry[]>
  /** The number of an entry. The next page begins after the number of the last entry. */
  placeOf: (entry: Entry) => number
  limit: number
  /** Number of the last entry that was already read. Default: 0. */
  after?: number
  /** Whether no page follows. By default a page with fewer than `limit` entries is the last one. */
  isLast?: (page: Entry[], limit: number) => boolean
}

/** Reads the pages of a list whose entries have ascending numbers. No page is empty. */
export async function* listPages<Entry>(list: Numbered<Entry>): AsyncGenerator<Entry[]> {
  const { read, placeOf, limit, isLast = isShort } = list
  for (let after = list.after ?? 0; ; ) {
    const page = await read({ after, limit })
    if (page.length > 0) yield page
    if (isLast(page, limit)) return
    after = placeOf(page.at(-1)!)
  }
}

const isShort = (page: readonly unknown[], limit: number): boolean => page.length < limit

/** Yields the entries of a list one by one. The next page begins after the number of the last entry. */
export async function* listEntries<Entry>(list: Numbered<Entry>): AsyncGenerator<Entry> {
  for await (const page of listPages(list)) yield* page
}

/** Yields the entries of a list one by one. The next page begins after the id of the last entry. */
export async function* entriesById<Entry extends { id: string }>(
  limit: number,
  read: (page: { limit: number; cursor?: string }) => Promise<Entry[]>,
): AsyncGenerator<Entry> {
  for (let page = await read({ limit }); ; page = await read({ limit, cursor: page.at(-1)!.id })) {
    yield* page
    if (page.length < limit) return
  }
}

/** Tasks of a job by number. */
export const taskPages = (
  tasks: Pick<TaskStore, 'list'>,
  jobId: string,
  { limit, after, ...filter }: { limit: number; after?: number; states?: TaskState[] },
): AsyncGenerator<Task[]> =>
  listPages({
    read: range => tasks.list(jobId, { ...filter, ...range }),
    placeOf: ({ n }) => n,
    limit,
    ...(after !== undefined && { after }),
  })

interface TriedTask {
  task: Task
  attempts: Attempt[]
}

/** Tasks of a job by number, with their attempts. */
export async function* triedPages(
  tasks: Pick<TaskStore, 'list' | 'attemptsOf'>,
  jobId: string,
  range: Parameters<typeof taskPages>[2],
): AsyncGenerator<TriedTask[]> {
  for await (const page of taskPages(tasks, jobId, range)) {
    const numbers = page.map(({ n }) => n)
    const attempts = await tasks.attemptsOf(jobId, numbers)
    yield page.map(task => ({ task, attempts: attempts.get(task.n) ?? [] }))
  }
}

const failedAtOnce = 500

/** Failed tasks of a job in the order of failure. */
export const failedPages = (
  tasks: Pick<TaskStore, 'failed'>,
  jobId: string,
  limit = failedAtOnce,
): AsyncGenerator<FailedTask[]> =>
  listPages({ read: range => tasks.failed(jobId, range), placeOf: ({ seq }) => seq, limit })

/** Records of a job in the order of commits. */
export const recordPages = (
  records: RecordReader,
  jobId: string,
  { limit, after = 0 }: { limit: number; after?: number },
): AsyncGenerator<StoredRecord[]> =>
  listPages({
    read: range => records.list(jobId, range),
    placeOf: ({ seq }) => seq,
    limit,
    after,
    isLast: isLastList,
  })
