// Reads stored raw pages in any layout.
import { asFailure, type Failure } from '../model/failures.ts'
import type { BlobRef, Page } from '../model/page/page.ts'
import type { Blobs } from '../ports/blobs.ts'
import { readItemPage, readItemRun } from './items.ts'
import { isWarcKey } from './keys.ts'
import { type Range, rangesOf } from './ranges.ts'
import { unpackBeside } from './unpack.ts'
import { asked, pageIn, pageInPlain, readExchanges, type WarcExchange } from './warc-exchanges.ts'

/** Reads one page with one range read. If a scraper sent several requests, returns its last page. */
export async function readPage(blobs: Blobs, ref: BlobRef): Promise<Page> {
  if (!isWarcKey(ref.key)) return readItemPage(blobs, ref)
  return pageInPlain(await unpackBeside(await blobs.read(ref)))
}

/** All exchanges of the attempt. */
export async function readRun(blobs: Blobs, ref: BlobRef): Promise<WarcExchange[]> {
  if (isWarcKey(ref.key)) return readExchanges(await blobs.read(ref))
  return (await readItemRun(blobs, ref)) ?? [asked(await readItemPage(blobs, ref))]
}

/** Reads many pages in storage order. Adjacent pages are read together. */
export async function* readPages(blobs: Blobs, refs: readonly BlobRef[]): AsyncGenerator<Page> {
  for (const range of rangesOf(refs)) yield* pagesIn(blobs, range)
}

async function* pagesIn(blobs: Blobs, { whole, refs }: Range): AsyncGenerator<Page> {
  if (!isWarcKey(whole.key)) return yield await readItemPage(blobs, whole)
  const bytes = await blobs.read(whole)
  for (const { offset, length } of refs) {
    const start = offset - whole.offset
    yield pageIn(bytes.subarray(start, start + length))
  }
}

/** A function that returns the stored page of a reference, or the failure if the page cannot be read. */
export type BroughtPages = (ref: BlobRef) => Page | Failure

/** Reads stored pages into memory in packed form. Each page is unpacked on access, so that few unpacked pages are in
 *  memory. */
export async function bringPages(blobs: Blobs, refs: readonly BlobRef[]): Promise<BroughtPages> {
  const places = new Map<string, () => Page>()
  const bring = async (range: Range): Promise<void> => {
    const unpack = await unpackerOf(blobs, range)
    for (const ref of range.refs) places.set(placeOf(ref), () => unpack(ref))
  }
  await Promise.all(rangesOf(refs).map(bring))
  return ref => {
    try {
      return places.get(placeOf(ref))!()
    } catch (error) {
      return asFailure(error)
    }
  }
}

/** Reads the range. Returns a function that unpacks single pages of it. If the read failed, that function
 *  throws the failure. */
async function unpackerOf(blobs: Blobs, { whole }: Range): Promise<(ref: BlobRef) => Page> {
  try {
    const kept = isWarcKey(whole.key) ? await blobs.read(whole) : await readItemPage(blobs, whole)
    if (!Buffer.isBuffer(kept)) return () => kept
    return ({ offset, length }) =>
      pageIn(kept.subarray(offset - whole.offset, offset - whole.offset + length))
  } catch (error) {
    return () => {
      throw error
    }
  }
}

const placeOf = ({ key, offset }: BlobRef): string => `${key} ${offset}`
