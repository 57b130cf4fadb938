// Blobs: bytes by key. The backend does not interpret them.
import type { BlobRef } from '../model/page/page.ts'

export interface SignedPutTerms {
  expiresInMs: number
  /** The announced size. The backend refuses any other size. */
  bytes?: number
  /** The announced checksum, in hex. The backend refuses a body with another checksum. */
  sha256?: string
}

export interface SignedPut {
  url: string
  /** Signed headers. The client must send them unchanged. */
  headers: Record<string, string>
}

export interface SignedGetTerms {
  expiresInMs: number
  /** The name that the browser saves the file under. */
  fileName: string
  type: string
}

export interface Blobs extends AsyncDisposable {
  /** Atomic: a reader never sees a part of the object. The object is durable when the promise resolves. */
  put(key: string, bytes: Uint8Array): Promise<void>
  /**
   * Appends to the segment `name`, or stores a new object if the backend cannot append. Returns where the bytes are.
   * The bytes are durable when the promise resolves. The bytes of one call are contiguous. After a crash, nothing
   * refers to a partly written tail.
   */
  append(name: string, bytes: Uint8Array): Promise<BlobRef>
  /**
   * Stores a stream of any size with bounded memory. Atomic: if `chunks` throws, this rejects and stores nothing. The
   * object is durable when the promise resolves.
   */
  putStream(key: string, chunks: AsyncIterable<Uint8Array>): Promise<void>
  /**
   * Overwrites bytes within an object. Its length stays, and concurrent appends are not lost. The bytes are durable
   * when the promise resolves. Throws `storage.failed` if the object does not exist.
   */
  overwrite(key: string, pieces: ReadonlyArray<{ offset: number; bytes: Uint8Array }>): Promise<void>
  /** Renames an object in the backend. Throws `storage.failed` if it does not exist. */
  move(from: string, to: string): Promise<void>
  get(key: string): Promise<Buffer | null>
  /** Streams the whole object. Throws `storage.failed` if it does not exist or is replaced during the read. */
  openRead(key: string): AsyncIterable<Buffer>
  /** The size of an object in bytes. Null if the key does not exist. */
  size(key: string): Promise<number | null>
  read(ref: BlobRef): Promise<Buffer>
  /** Keys below a prefix, sorted, with sizes. */
  list(prefix: string): AsyncIterable<{ key: string; bytes: number; modifiedAt: number }>
  /** Deletes objects, and unfinished parts of them that a killed process left. Keys that do not exist are ignored. */
  delete(keys: string[]): Promise<void>
  /** Deletes all objects and unfinished parts below a prefix that ends with `/`. */
  deleteBelow(prefix: string): Promise<void>
  /** A signed URL for a PUT of this key; null if clients cannot reach the backend directly. */
  signedPut(key: string, terms: SignedPutTerms): Promise<SignedPut | null>
  /** A signed URL for a GET of this key; null if clients cannot reach the backend directly. */
  signedGet(key: string, terms: SignedGetTerms): Promise<string | null>
  /** The object's key in the bucket. The method is absent if the backend uses our keys unchanged. */
  publicKey?(key: string): string
  /** Free space in bytes; null if the backend has no limit. */
  free(): Promise<number | null>
}
