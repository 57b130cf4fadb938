// The items layout (`results.layout: items`): one folder of files per task.
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { Failure } from '../model/failures.ts'
import { chosenId, taskId } from '../model/ids.ts'
import type { BlobRef, Page } from '../model/page/page.ts'
import type { KeptArtifact } from '../model/policy/rendering.ts'
import type { NewRecord } from '../model/record.ts'
import type { Reason, TerminalState } from '../model/task.ts'
import type { Blobs } from '../ports/blobs.ts'
import { type ItemKeys, itemIdOf, itemKeys, metadataBeside, runBeside } from './keys.ts'
import { storedJson } from './stored-json.ts'
import { asked, readExchanges, type WarcExchange, writeExchanges } from './warc-exchanges.ts'
import { warcMembers } from './warc-members.ts'

/** Pages of more bytes than this are compressed, as `html.html.gz`. */
const plainHtmlBytes = 1_024

export interface ItemOutcome {
  jobId: string
  n: number
  itemId: string | null
  url: string
  attempt: number
  state: TerminalState
  reason: Reason
  message: string | null
  /** Null if nothing was fetched. */
  page: Page | null
  /** All exchanges of a scraper that sent several requests, in order. */
  exchanges?: readonly WarcExchange[] | null
  records: NewRecord[]
  /** Artifacts that are already stored in the folder of the item. */
  artifacts?: readonly KeptArtifact[]
}

/** Writes the files of an item. The manifest is written last: if it exists, all files do. Returns the location of the
 *  page. */
export async function writeItem(blobs: Blobs, outcome: ItemOutcome): Promise<BlobRef | null> {
  const keys = itemKeys(outcome.jobId, itemIdOf(outcome))
  const raw = outcome.page && (await putHtml(blobs, keys, outcome.page.body))
  const exchanges = exchangesOf(outcome)
  if (exchanges) await blobs.put(keys.run, writeExchanges(exchanges, 'kscrape'))
  await putJson(blobs, keys.data, dataOf(outcome.records))
  await putJson(blobs, keys.metadata, JSON.stringify(metadataOf(outcome)))
  await putJson(blobs, keys.manifest, JSON.stringify(manifestOf(blobs, outcome, keys, raw)))
  return raw
}

/** The exchanges to store beside the page: all exchanges of a scraper, or those of the page archive. Null if
 *  only the page is stored. */
const exchangesOf = ({ exchanges, page }: ItemOutcome): readonly WarcExchange[] | null =>
  exchanges ?? (page?.parts?.isWhole ? [asked(page)] : null)

/** The records of a page archive or of a scraper's run. Null if only the page is stored. */
export async function readItemArchive(blobs: Blobs, ref: BlobRef): Promise<Buffer | null> {
  const key = runBeside(ref.key)
  const bytes = key && (await blobs.get(key))
  return bytes ? withoutInfo(bytes) : null
}

function withoutInfo(bytes: Buffer): Buffer {
  const [first] = warcMembers(bytes)
  return first?.headers.get('WARC-Type') === 'warcinfo' ? bytes.subarray(first.length) : bytes
}

/** The page of an item, from its HTML and metadata. */
export async function readItemPage(blobs: Blobs, ref: BlobRef): Promise<Page> {
  const metadataKey = metadataBeside(ref.key)
  const text = metadataKey && (await blobs.get(metadataKey))
  if (!text) throw new Failure('storage.failed', `${ref.key} is not a stored page`, { key: ref.key })
  const page: ItemPage | null = storedJson<ItemMetadata>(text, metadataKey).page
  if (page === null)
    throw new Failure('storage.failed', `nothing was fetched for ${ref.key}`, { key: ref.key })
  const bytes = await blobs.read(ref)
  const body = ref.key.endsWith('.gz') ? await promisify(gunzip)(bytes) : bytes
  return pageFrom(page, body)
}

/** The exchanges of a scraper that sent several requests. Null if only the page is stored. */
export async function readItemRun(blobs: Blobs, ref: BlobRef): Promise<WarcExchange[] | null> {
  const key = runBeside(ref.key)
  const bytes = key && (await blobs.get(key))
  return bytes ? readExchanges(bytes) : null
}

async function putHtml(blobs: Blobs, keys: ItemKeys, body: Buffer): Promise<BlobRef> {
  const isSmall = body.length <= plainHtmlBytes
  const key = isSmall ? keys.html : keys.htmlGz
  const bytes = isSmall ? body : await promisify(gzip)(body)
  await blobs.put(key, bytes)
  // Delete files that an earlier attempt may have left: the page in the other form, and the exchanges.
  const other = isSmall ? keys.htmlGz : keys.html
  const isSame = publicKey(blobs, other) === publicKey(blobs, key)
  await blobs.delete(isSame ? [keys.run] : [other, keys.run])
  return { key, offset: 0, length: bytes.length }
}

const putJson = (blobs: Blobs, key: string, text: string): Promise<void> =>
  blobs.put(key, Buffer.from(`${text}\n`))

// The data is always a list, because a page may yield any number of records.
const dataOf = (records: NewRecord[]): string => `[${records.map(record => record.data).join(',')}]`

const metadataOf = (outcome: ItemOutcome) => ({
  job_id: chosenId(outcome.jobId),
  item_id: itemIdOf(outcome),
  task_id: taskId(outcome.jobId, outcome.n),
  url: outcome.url,
  state: outcome.state,
  reason: outcome.reason,
  message: outcome.message,
  attempt: outcome.attempt,
  scraper: outcome.records[0]?.scraper ?? null,
  records: outcome.records.length,
  page: outcome.page && itemPageOf(outcome.page),
})
type ItemMetadata = ReturnType<typeof metadataOf>

const itemPageOf = (page: Page) => ({
  url: page.url,
  final_url: page.finalUrl,
  status: page.status,
  headers: page.headers,
  wire_bytes: page.wireBytes,
  bytes: page.body.length,
  hops: page.hops,
  remote_address: page.remoteAddress,
  http_version: page.httpVersion,
  started_at: new Date(page.startedAt).toISOString(),
  fetched_at: new Date(page.endedAt).toISOString(),
  request_headers: page.requestHeaders ?? null,
})
type ItemPage = ReturnType<typeof itemPageOf>

const pageFrom = (kept: ItemPage, body: Buffer): Page => ({
  url: kept.url,
  finalUrl: kept.final_url,
  status: kept.status,
  headers: kept.headers,
  body,
  wireBytes: kept.wire_bytes,
  hops: kept.hops,
  remoteAddress: kept.remote_address,
  httpVersion: kept.http_version,
  startedAt: Date.parse(kept.started_at),
  sentAt: Date.parse(kept.started_at),
  endedAt: Date.parse(kept.fetched_at),
  ...(kept.request_headers && { requestHeaders: kept.request_headers }),
})

/** The key under which the object is stored in the bucket. */
export const publicKey = (blobs: Blobs, key: string): string => blobs.publicKey?.(key) ?? key

const manifestOf = (blobs: Blobs, outcome: ItemOutcome, keys: ItemKeys, raw: BlobRef | null) => ({
  job_id: chosenId(outcome.jobId),
  item_id: itemIdOf(outcome),
  task_id: taskId(outcome.jobId, outcome.n),
  url: outcome.url,
  state: outcome.state,
  reason: outcome.reason,
  files: {
    html: raw && publicKey(blobs, raw.key),
    data: publicKey(blobs, keys.data),
    metadata: publicKey(blobs, keys.metadata),
    ...Object.fromEntries((outcome.artifacts ?? []).map(({ name, key }) => [name, publicKey(blobs, key)])),
  },
})
