// The inputs of a document: the job with its options, the record, and the stored page.
import type { Job } from '../../../model/job.ts'
import type { Page } from '../../../model/page/page.ts'
import type { RecordData, StoredRecord } from '../../../model/record.ts'
import type { Attempt } from '../../../model/task.ts'
import type { MadeDocument } from '../../../pipeline/work/documents/page-document.ts'
import type { ServerParts } from '../../parts.ts'
import type { StoredRequest } from './stored-request.ts'

export type DocumentParts = Pick<ServerParts, 'store' | 'blobs' | 'pageDocument' | 'model' | 'sheetTexts'>

export interface Source {
  parts: DocumentParts
  job: Job
  kept: StoredRequest
  record: StoredRecord
  data: RecordData
  /** The records of a feed; empty for other pages. */
  entries: RecordData[]
  /** The stored page as fetched; null if it is deleted. */
  page: Page | null
  /** The document made from the page; null if the page has no markup. */
  made: MadeDocument | null
  /** Why no document could be made from the page; null if one was made. */
  problem: string | null
  attempts: Attempt[]
  /** The URL as the caller wrote it. */
  asked: string
}
