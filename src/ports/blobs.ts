// Blobs: bytes by key. Knows nothing of what is in them.
import type { BlobRef } from '../model/page/page.ts'

export interface SignedPutTerms {
  expiresInMs: number
  /** What was announced; anything else is refused. */
  bytes?: number
  /** In hex. */
  sha256?: string
}

export interface SignedPut {
  url: string
  /** Part of what was signed: sent as they are, or the backend refuses. */
  headers: Record<string, string>
}

export interface SignedGetTerms {
  expiresInMs: number
  /** What it comes as. */
  fileName: string
  type: string
}

export interface Blobs extends AsyncDisposable {
  /** Whole or absent: a reader never sees half of it. Durable when it resolves. */
  put(key: string, bytes: Uint8Array): Promise<void>
  /**
   * Appends to the segment `name` where the backend can, or puts a new object; says where the bytes are. Durable when it resolves.
   * Bytes of one call are contiguous. A torn tail after a crash is never referenced.
   */
  append(name: string, bytes: Uint8Array): Promise<BlobRef>
  /**
   * Keeps a body of any size as it comes, with no more of it in memory than a part. Whole or absent: when `chunks` throws, so does
   * this, and nothing is left. Durable when it resolves.
   */
  putStream(key: string, chunks: AsyncIterable<Uint8Array>): Promise<void>
  /**
   * Puts as many other bytes in the place of some, within what is there: its length stays, and so does whatever is appended meanwhile.
   * Durable when it resolves. `storage.failed` where there is no such object.
   */
  overwrite(key: string, pieces: ReadonlyArray<{ offset: number; bytes: Uint8Array }>): Promise<void>
  /** Gives an object another key, without its bytes passing through here. `storage.failed` where there is no such object. */
  move(from: string, to: string): Promise<void>
  get(key: string): Promise<Buffer | null>
  /** All of it, piece by piece, whatever its size. `storage.failed` when there is none, or when it was replaced meanwhile. */
  openRead(key: string): AsyncIterable<Buffer>
  /** Null when there is nothing under the key. */
  size(key: string): Promise<number | null>
  read(ref: BlobRef): Promise<Buffer>
  /** Keys below a prefix, sorted, with sizes. */
  list(prefix: string): AsyncIterable<{ key: string; bytes: number; modifiedAt: number }>
  /** With what a killed writer left of them. */
  delete(keys: string[]): Promise<void>
  /** Where anyone who was told may PUT this key until it expires; null where the backend has no door of its own to the outside. */
  signedPut(key: string, terms: SignedPutTerms): Promise<SignedPut | null>
  /** Where anyone who was told may GET this key, for a while; null where the backend has no door of its own to the outside. */
  signedGet(key: string, terms: SignedGetTerms): Promise<string | null>
  /** Bytes that can still be written; null where the backend has no such limit. */
  free(): Promise<number | null>
}
