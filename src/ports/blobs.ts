// Blobs: bytes by key. Knows nothing of what is in them.
import type { BlobRef } from '../model/page.ts'

export interface Blobs extends AsyncDisposable {
  /** Whole or absent: a reader never sees half of it. Durable when it resolves. */
  put(key: string, bytes: Uint8Array): Promise<void>
  /**
   * Appends to the segment `name` where the backend can, or puts a new object; says where the bytes are. Durable when it resolves.
   * Bytes of one call are contiguous. A torn tail after a crash is never referenced.
   */
  append(name: string, bytes: Uint8Array): Promise<BlobRef>
  get(key: string): Promise<Buffer | null>
  read(ref: BlobRef): Promise<Buffer>
  /** Keys below a prefix, sorted, with sizes. */
  list(prefix: string): AsyncIterable<{ key: string; bytes: number; modifiedAt: number }>
  delete(keys: string[]): Promise<void>
  /** Bytes that can still be written; null where the backend has no such limit. */
  free(): Promise<number | null>
}
