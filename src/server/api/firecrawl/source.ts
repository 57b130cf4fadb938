// What a document is made of: the job and its wish, the record, and the page as it was kept.
import type { Job } from '../../../model/job.ts'
import type { Page } from '../../../model/page/page.ts'
import type { RecordData, StoredRecord } from '../../../model/record.ts'
import type { Attempt } from '../../../model/task.ts'
import type { MadeDocument } from '../../../pipeline/work/page-document.ts'
import type { ServerParts } from '../../parts.ts'
import type { Kept } from './kept.ts'

export type DocumentParts = Pick<ServerParts, 'store' | 'blobs' | 'pageDocument'>

export interface Source {
  parts: DocumentParts
  job: Job
  kept: Kept
  record: StoredRecord
  data: RecordData
  /** The records of a feed; empty for other pages. */
  entries: RecordData[]
  /** As it was fetched; null when it is not kept any more. */
  page: Page | null
  /** What was made of the page; null for what is no markup. */
  made: MadeDocument | null
  /** Why nothing could be made of the page. */
  problem: string | null
  attempts: Attempt[]
  /** As the caller wrote it. */
  asked: string
}
