// Copies blobs to the target of a move. Blobs that the target already has are not copied again.
import { jobPrefix } from '../../results/keys.ts'
import type { MoveParts } from './move-parts.ts'

const atOnce = 8
/** Larger blobs are streamed. */
const wholeBytes = 8 << 20

interface CopyScope {
  /** The job whose blobs are copied. Null copies all blobs. `keeps` returns whether the blob with this key is
   *  copied. */
  jobId: string | null
  keeps?: (key: string) => boolean
}

/** Copies blobs and returns how many were copied. */
export async function copyBlobs(parts: MoveParts, { jobId, keeps = () => true }: CopyScope): Promise<number> {
  const prefix = jobId === null ? '' : jobPrefix(jobId)
  const there = new Map<string, number>()
  for await (const { key, bytes } of parts.to.blobs.list(prefix)) if (keeps(key)) there.set(key, bytes)
  const missing: Array<{ key: string; bytes: number }> = []
  for await (const blob of parts.from.blobs.list(prefix))
    if (keeps(blob.key) && there.get(blob.key) !== blob.bytes) missing.push(blob)
  let done = 0
  const total = missing.length
  const next = missing.values()
  const lane = async () => {
    for (const { key, bytes } of next) {
      await copyOne(parts, key, bytes)
      parts.mark('import.after_blob')
      parts.tell({ jobId, piece: 'files', done: ++done, total })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  return total
}

async function copyOne({ from, to }: MoveParts, key: string, bytes: number): Promise<void> {
  const whole = bytes <= wholeBytes ? await from.blobs.get(key) : null
  if (whole) await to.blobs.put(key, whole)
  else await to.blobs.putStream(key, from.blobs.openRead(key))
}
