// Typed SQL views over records. Only PostgreSQL has them.
import { openRecordViews, type RecordViews } from '../adapters/postgres/record-views.ts'
import type { Settings } from '../config/settings.ts'
import { Failure } from '../model/failures.ts'

export type { RecordView, ViewSubject } from '../adapters/postgres/record-views.ts'

export async function withRecordViews<Result>(
  { databaseUrl }: Settings,
  work: (views: RecordViews) => Promise<Result>,
): Promise<Result> {
  if (databaseUrl === undefined)
    throw new Failure(
      'input.invalid',
      'DATABASE_URL is not set: views are made in the PostgreSQL database of a cluster; for a data directory use `kscrape query`',
    )
  await using views = await openRecordViews(databaseUrl)
  return await work(views)
}
