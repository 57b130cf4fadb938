// The results of a fetch job in the format of the fetch API, for responses and webhooks.
import { errorNameOf } from '../../model/error-names.ts'
import { asFailure, Failure, type FailureCode, failures } from '../../model/failures.ts'
import type { Job } from '../../model/job.ts'
import { mapKeys, snake } from '../../model/letter-case.ts'
import { mediaTypeOf, type Page } from '../../model/page/page.ts'
import type { Task } from '../../model/task.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Store } from '../../ports/store.ts'
import { readTaskPage } from './item-artifacts.ts'

interface FetchResult {
  /** The URL as the caller sent it. */
  url: string
  status: 'success' | 'error'
  htmlContent: string | null
  errorMessage: string | null
  errorType: string | null
}

/** The result of one URL as JSON text. Its task must have ended. */
export async function fetchResultText(
  parts: { store: Store; blobs: Blobs },
  job: Job,
  task: Task,
): Promise<string> {
  return JSON.stringify(mapKeys(await resultOf(parts, job, task), snake))
}

async function resultOf(parts: { store: Store; blobs: Blobs }, job: Job, task: Task): Promise<FetchResult> {
  const url = linkOf(task)
  if (task.state !== 'succeeded') return failed(url, failureOf(task))
  try {
    const htmlContent = markupOf(await readTaskPage(parts, task), job, task)
    return { url, status: 'success', htmlContent, errorMessage: null, errorType: null }
  } catch (error) {
    return failed(url, asFailure(error))
  }
}

const linkOf = ({ input, url }: Task): string =>
  input === null ? url : ((JSON.parse(input) as { url?: string }).url ?? url)

function failureOf({ reason, message, state }: Task): Failure {
  const code = reason !== null && reason in failures ? (reason as FailureCode) : null
  if (state === 'cancelled')
    return new Failure('job.cancelled', 'the job was cancelled before this link was fetched')
  return new Failure(code ?? 'internal.bug', message ?? 'this link failed without a message')
}

const failed = (url: string, { code, message }: Failure): FetchResult => ({
  url,
  status: 'error',
  htmlContent: null,
  errorMessage: message,
  errorType: errorNameOf(code),
})

function markupOf(page: Page | null, job: Job, { itemId }: Task): string {
  if (!page) throw new Failure('page.not-kept', 'the page is no longer stored; start the job again')
  const type = mediaTypeOf(page.headers)
  // Pages of this API are loaded in a browser, which returns its markup as UTF-8.
  if (type === '' || /html|xml|json|^text\//.test(type)) return page.body.toString('utf8')
  throw new Failure(
    'content.unsupported',
    `the URL is not a page but ${type}; GET /jobs/${job.id}/items/${itemId}/download?artifact=html returns the file`,
  )
}
