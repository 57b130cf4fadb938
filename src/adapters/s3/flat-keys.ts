// An alternative key layout: results are at `{job_id}/…` in the bucket, without `jobs/`. Keys inside the program do not change.
import type { BlobRef } from '../../model/page/page.ts'
import type { Blobs } from '../../ports/blobs.ts'

const jobs = 'jobs/'
/** Prefix of objects that belong to no job. No job id starts with a dot. */
const ours = '.kscrape/'
/** In this layout, a page has the same name whether it is compressed or not. */
const compressedPage = /^([^/]+\/items\/[^/]+\/html\.html)\.gz$/

export function withFlatKeys(blobs: Blobs): Blobs {
  const at =
    <Result>(work: (key: string) => Result) =>
    (key: string) =>
      work(flatKey(key))
  return {
    put: (key, bytes) => blobs.put(flatKey(key), bytes),
    append: async (name, bytes) => ownRef(await blobs.append(flatKey(name), bytes)),
    putStream: (key, chunks) => blobs.putStream(flatKey(key), chunks),
    overwrite: (key, pieces) => blobs.overwrite(flatKey(key), pieces),
    move: (from, to) => blobs.move(flatKey(from), flatKey(to)),
    get: at(key => blobs.get(key)),
    openRead: at(key => blobs.openRead(key)),
    size: at(key => blobs.size(key)),
    read: ref => blobs.read({ ...ref, key: flatKey(ref.key) }),
    list: prefix => listed(blobs, prefix),
    delete: keys => blobs.delete(keys.map(flatKey)),
    deleteBelow: at(prefix => blobs.deleteBelow(prefix)),
    signedPut: (key, terms) => blobs.signedPut(flatKey(key), terms),
    signedGet: (key, terms) => blobs.signedGet(flatKey(key), terms),
    publicKey: flatKey,
    free: () => blobs.free(),
    [Symbol.asyncDispose]: () => blobs[Symbol.asyncDispose](),
  }
}

function flatKey(key: string): string {
  if (!key.startsWith(jobs)) return `${ours}${key}`
  return key.slice(jobs.length).replace(compressedPage, '$1')
}

const ownKey = (key: string): string => (key.startsWith(ours) ? key.slice(ours.length) : `${jobs}${key}`)

const ownRef = (ref: BlobRef): BlobRef => ({ ...ref, key: ownKey(ref.key) })

/** The prefix selects the keys: `jobs/` or a folder below it selects keys of jobs, any other prefix selects keys of no job. An
 *  empty prefix lists all keys. */
async function* listed(
  blobs: Blobs,
  prefix: string,
): AsyncGenerator<{ key: string; bytes: number; modifiedAt: number }> {
  const below = prefix === '' || prefix === jobs ? '' : flatKey(prefix)
  for await (const entry of blobs.list(below))
    if (prefix !== jobs || !entry.key.startsWith(ours)) yield { ...entry, key: ownKey(entry.key) }
}
