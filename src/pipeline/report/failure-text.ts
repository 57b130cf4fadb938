// The failures of a job as text, in batches, so that memory use does not grow with their number.
import { failedPages } from '../../lib/list-pages.ts'
import { mapKeys, snake } from '../../model/letter-case.ts'
import type { FailedTask, Store } from '../../ports/store.ts'
import { delimitedLine } from '../../results/exports/delimited.ts'
import { failedItem } from './result-items.ts'

const columns = ['item_id', 'task_id', 'url', 'code', 'message', 'attempts']

export async function* failureText(
  { tasks }: Pick<Store, 'tasks'>,
  jobId: string,
  format: 'ndjson' | 'csv',
): AsyncGenerator<string> {
  if (format === 'csv') yield delimitedLine(',', columns)
  const row = format === 'csv' ? csvRow : jsonRow
  for await (const failed of failedPages(tasks, jobId)) yield failed.map(row).join('')
}

const jsonRow = (task: FailedTask): string => `${JSON.stringify(mapKeys(failedItem(task), snake))}\n`

function csvRow(task: FailedTask): string {
  const { itemId, taskId, url, error } = failedItem(task)
  return delimitedLine(',', [itemId, taskId, url, error.code, error.message, error.attempts])
}
