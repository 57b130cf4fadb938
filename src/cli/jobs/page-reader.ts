// The pages of a scrape, read from the data directory or from a service.
import type { Client, Item, RecordResult } from '../../client.ts'
import type { PageNote, RecordData, StoredRecord } from '../../model/record.ts'
import type { Task } from '../../model/task.ts'
import { artifactBytes } from '../../pipeline/report/job-artifacts.ts'
import type { DataDirectory } from '../../roles/data-directory.ts'
import { pageNote, sourceOf, wholeHtmlAs, wholePageAs } from '../../roles/local/stored-page.ts'

export interface ScrapedPage extends Pick<Task, 'url' | 'state' | 'reason' | 'message'> {
  records(): Promise<ScrapedRecord[]>
  /** The HTML of the page; null if it was not stored. */
  source(): Promise<string | null>
  /** The whole page with navigation and footers; null if it is not HTML. */
  whole(format: 'markdown' | 'text'): Promise<string | null>
  file(name: 'screenshot' | 'pdf'): Promise<Buffer | null>
}

export interface ScrapedRecord {
  data: RecordData
  note: Partial<PageNote>
}

/** The pages in the order of the URLs on the command line. */
export async function pagesHere(data: DataDirectory, jobId: string): Promise<ScrapedPage[]> {
  const tasks = await data.store.tasks.list(jobId, { limit: mostPages })
  return tasks.map(task => pageHere(data, task))
}

/** Maximum number of URLs of one command. `kscrape run` takes longer lists. */
export const mostPages = 1_000

const pageHere = (data: DataDirectory, task: Task): ScrapedPage => ({
  ...{ url: task.url, state: task.state, reason: task.reason, message: task.message },
  records: async () => (await data.store.records.ofTask(task.jobId, task.n)).map(recordHere),
  source: () => sourceOf(data, task.jobId, task.n),
  whole: format => wholePageAs(data, task.jobId, task.n, format),
  file: name => artifactBytes(data, task.jobId, task.n, name),
})

const recordHere = (record: StoredRecord): ScrapedRecord => ({
  data: JSON.parse(record.data) as RecordData,
  note: pageNote(record),
})

export async function pagesThere(service: Client, jobId: string): Promise<ScrapedPage[]> {
  const found = await Array.fromAsync(service.jobs.items(jobId, { pageSize: 500 }))
  const items = await Promise.all(found.map(({ itemId }) => service.jobs.item(jobId, itemId)))
  const numberOf = ({ taskId }: Item) => Number(taskId.slice(taskId.lastIndexOf('.') + 1))
  return items.toSorted((a, b) => numberOf(a) - numberOf(b)).map(item => pageThere(service, jobId, item))
}

function pageThere(service: Client, jobId: string, item: Item): ScrapedPage {
  const bytesOf = async (name: string): Promise<Buffer | null> =>
    item.artifacts.includes(name)
      ? Buffer.from(await (await service.jobs.download(jobId, item.itemId, name)).bytes())
      : null
  const source = async () => (await bytesOf('html'))?.toString() ?? null
  return {
    ...{ url: item.url, state: item.status, reason: item.reason as Task['reason'], message: item.message },
    records: async () => item.records.map(record => recordThere(record, item)),
    source,
    async whole(format) {
      const [html, record] = [await source(), item.records[0]]
      return html === null || !record ? null : wholeHtmlAs(html, notesOf(record), format)
    },
    file: bytesOf,
  }
}

const notesOf = ({ url, finalUrl, httpStatus, fetchedAt }: RecordResult) => ({
  ...{ url, finalUrl, status: httpStatus },
  fetchedAt: Date.parse(fetchedAt),
})

const recordThere = (record: RecordResult, { history }: Item): ScrapedRecord => ({
  data: record.data as RecordData,
  note: {
    ...{ url: record.url, final_url: record.finalUrl, status: record.httpStatus },
    ...{ fetched_at: record.fetchedAt, task_id: record.taskId, scraper: record.scraper },
    way: history.at(-1)?.way ?? 'http',
    ...(record.warnings && { warnings: record.warnings as NonNullable<PageNote['warnings']> }),
  },
})
