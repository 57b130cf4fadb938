// Raw pages back from where they were kept, whichever layout wrote them.
import type { BlobRef, Page } from '../model/page.ts'
import type { Blobs } from '../ports/blobs.ts'
import { readItemPage } from './items.ts'
import { isWarcKey } from './keys.ts'
import { type Range, rangesOf } from './ranges.ts'
import { pageOfRecord, readWarcRecord } from './warc-reader.ts'

/** One page, by one range read. */
export async function readPage(blobs: Blobs, ref: BlobRef): Promise<Page> {
  if (!isWarcKey(ref.key)) return readItemPage(blobs, ref)
  return pageOfRecord(readWarcRecord(await blobs.read(ref)))
}

/** Many pages, neighbours read together; in the order of their places, not of the references. */
export async function* readPages(blobs: Blobs, refs: readonly BlobRef[]): AsyncGenerator<Page> {
  for (const range of rangesOf(refs)) yield* pagesIn(blobs, range)
}

async function* pagesIn(blobs: Blobs, { whole, refs }: Range): AsyncGenerator<Page> {
  if (!isWarcKey(whole.key)) return yield await readItemPage(blobs, whole)
  const bytes = await blobs.read(whole)
  for (const { offset, length } of refs) {
    const start = offset - whole.offset
    yield pageOfRecord(readWarcRecord(bytes.subarray(start, start + length)))
  }
}
