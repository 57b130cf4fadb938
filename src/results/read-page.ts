// A raw page back from where it was kept: one range read, whichever layout wrote it.
import type { BlobRef, Page } from '../model/page.ts'
import type { Blobs } from '../ports/blobs.ts'
import { readItemPage } from './items.ts'
import { isWarcKey } from './keys.ts'
import { pageOfRecord, readWarcRecord } from './warc-reader.ts'

export async function readPage(blobs: Blobs, ref: BlobRef): Promise<Page> {
  if (!isWarcKey(ref.key)) return readItemPage(blobs, ref)
  return pageOfRecord(readWarcRecord(await blobs.read(ref)))
}
