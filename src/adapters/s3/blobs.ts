// Blobs in an S3 bucket: AWS, MinIO and others. Each append creates a new object, because objects are immutable.
import { randomUUID } from 'node:crypto'
import type { S3Client } from '@aws-sdk/client-s3'
import { requireFolder, requireKey } from '../../lib/blob-keys.ts'
import { loadFor } from '../../lib/optional-packages.ts'
import { Failure } from '../../model/failures.ts'
import type { BlobRef } from '../../model/page/page.ts'
import type { Blobs, SignedGetTerms, SignedPut, SignedPutTerms } from '../../ports/blobs.ts'
import { confirmBytes } from './confirm-bytes.ts'
import { isMissing, onBucket } from './failures.ts'
import { abortUnfinished, partsOf, putInParts } from './multipart.ts'
import { readObject, readWhole } from './read-object.ts'
import { signGet, signPut } from './signed-urls.ts'

export interface S3Options {
  /** URL of the server; null means AWS. */
  endpoint: string | null
  /** Endpoint in signed URLs, if callers use another one than this process. A signature is valid for one host name only. */
  publicEndpoint?: string | null
  region: string
  bucket: string
  /** If null, the SDK finds the credentials: environment, profile, or the machine's role. */
  credentials: { accessKeyId: string; secretAccessKey: string } | null
  /** Uses `https://host/bucket/key` instead of `https://bucket.host/key`. MinIO and others need it. */
  pathStyle: boolean
  /** Larger bodies are sent in parts of this size; S3 requires at least 5 MB. */
  partBytes?: number
}

/** S3's limit per delete request. */
const deleteAtOnce = 1_000
const defaultPartBytes = 16 * 1_024 * 1_024
const segmentSuffix = '.warc.zst'
const longestConnectMs = 5_000
/** If the server sends nothing for this long, the SDK retries the request. */
const longestSilenceMs = 10_000

type Sdk = typeof import('@aws-sdk/client-s3')

export async function openS3Blobs(options: S3Options): Promise<Blobs> {
  const sdk = await loadFor('cluster', () => import('@aws-sdk/client-s3'))
  const { endpoint, publicEndpoint = null } = options
  const client = clientAt(sdk, endpoint, options)
  const signer = publicEndpoint === null ? client : clientAt(sdk, publicEndpoint, options)
  return new S3Blobs(sdk, { client, signer }, options)
}

const clientAt = (
  sdk: Sdk,
  endpoint: string | null,
  { region, credentials, pathStyle }: S3Options,
): S3Client =>
  new sdk.S3Client({
    region,
    forcePathStyle: pathStyle,
    // Five attempts with growing waits, for 500, 503 SlowDown, timeouts and broken connections.
    maxAttempts: 5,
    requestHandler: { connectionTimeout: longestConnectMs, socketTimeout: longestSilenceMs },
    ...(endpoint !== null && { endpoint }),
    ...(credentials && { credentials }),
    // Uses checksums only where S3 requires them, because some servers do not support the newer ones.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })

class S3Blobs implements Blobs {
  readonly #sdk: Sdk
  readonly #client: S3Client
  /** Signs URLs for the public endpoint. It sends no requests. */
  readonly #signer: S3Client
  readonly #bucket: string
  readonly #partBytes: number

  constructor(
    sdk: Sdk,
    { client, signer }: { client: S3Client; signer: S3Client },
    { bucket, partBytes = defaultPartBytes }: S3Options,
  ) {
    this.#sdk = sdk
    this.#client = client
    this.#signer = signer
    this.#bucket = bucket
    this.#partBytes = partBytes
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    const place = this.#place(key)
    if (bytes.length > this.#partBytes) return this.putStream(key, [bytes])
    await onBucket(place, async () =>
      confirmBytes(
        place,
        bytes,
        await this.#client.send(
          new this.#sdk.PutObjectCommand({ ...place, Body: bytes, ...encodingOf(key, bytes) }),
        ),
      ),
    )
  }

  async putStream(key: string, chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void> {
    const place = this.#place(key)
    const parts = partsOf(chunks, this.#partBytes)
    await onBucket(place, async () => {
      const first = await parts.next()
      // A body smaller than one part is sent in one request: a multipart upload cannot be empty.
      if (first.done || first.value.length < this.#partBytes)
        await this.put(key, first.value ?? new Uint8Array())
      else await putInParts(this.#sdk, this.#client, { ...place, parts: following(first.value, parts) })
    })
  }

  async append(name: string, bytes: Uint8Array): Promise<BlobRef> {
    requireKey(name)
    // Keys sort by time, and two writers of one name never use the same key.
    const key = `${name}.${Date.now().toString(36)}-${randomUUID().slice(0, 8)}${segmentSuffix}`
    await this.put(key, bytes)
    return { key, offset: 0, length: bytes.length }
  }

  /** Replaces the whole object, because objects are immutable. */
  async overwrite(key: string, pieces: ReadonlyArray<{ offset: number; bytes: Uint8Array }>): Promise<void> {
    const object = await this.get(key)
    if (object === null)
      throw new Failure('storage.failed', `s3://${this.#bucket}/${key} does not exist`, { key })
    for (const { offset, bytes } of pieces) object.set(bytes, offset)
    await this.put(key, object)
  }

  async move(from: string, to: string): Promise<void> {
    const place = this.#place(from)
    const CopySource = `${this.#bucket}/${from.split('/').map(encodeURIComponent).join('/')}`
    const copy = new this.#sdk.CopyObjectCommand({ ...this.#place(to), CopySource })
    await onBucket(place, () => this.#client.send(copy))
    await this.delete([from])
  }

  async get(key: string): Promise<Buffer | null> {
    const place = this.#place(key)
    return onBucket(place, () => readWhole(this.#sdk, this.#client, place).catch(nullIfMissing))
  }

  async *openRead(key: string): AsyncGenerator<Buffer> {
    const place = this.#place(key)
    const chunks = readObject(this.#sdk, this.#client, place)
    try {
      for (;;) {
        const { done, value } = await onBucket(place, () => chunks.next())
        if (done) return
        yield value
      }
    } finally {
      await chunks.return(undefined)
    }
  }

  async size(key: string): Promise<number | null> {
    const place = this.#place(key)
    return onBucket(place, async () => {
      const answer = await this.#client.send(new this.#sdk.HeadObjectCommand(place)).catch(nullIfMissing)
      return answer && (answer.ContentLength ?? 0)
    })
  }

  async signedPut(key: string, terms: SignedPutTerms): Promise<SignedPut> {
    const place = this.#place(key)
    return onBucket(place, () => signPut(this.#sdk, this.#signer, place, terms))
  }

  async signedGet(key: string, terms: SignedGetTerms): Promise<string> {
    const place = this.#place(key)
    return onBucket(place, () => signGet(this.#sdk, this.#signer, place, terms))
  }

  async read({ key, offset, length }: BlobRef): Promise<Buffer> {
    const place = this.#place(key)
    return onBucket(place, async () => {
      const Range = `bytes=${offset}-${offset + length - 1}`
      const bytes = await readWhole(this.#sdk, this.#client, { ...place, Range })
      if (bytes.length === length) return bytes
      const message = `s3://${this.#bucket}/${key} ends before ${offset + length} bytes: it was truncated, or the reference belongs to another file`
      throw new Failure('storage.failed', message, { key, offset, length })
    })
  }

  async *list(prefix: string): AsyncIterable<{ key: string; bytes: number; modifiedAt: number }> {
    let token: string | undefined
    do {
      const page = await onBucket(this.#placeOf(prefix), () =>
        this.#client.send(
          new this.#sdk.ListObjectsV2Command({
            Bucket: this.#bucket,
            Prefix: prefix,
            ...(token !== undefined && { ContinuationToken: token }),
          }),
        ),
      )
      for (const { Key, Size, LastModified } of page.Contents ?? [])
        yield { key: Key!, bytes: Size ?? 0, modifiedAt: LastModified?.getTime() ?? 0 }
      token = page.NextContinuationToken
    } while (token !== undefined)
  }

  async delete(keys: string[]): Promise<void> {
    for (const key of keys) requireKey(key)
    for (let at = 0; at < keys.length; at += deleteAtOnce) {
      const some = keys.slice(at, at + deleteAtOnce)
      await this.#deleteSome(some)
      await this.#abortUploadsOf(some)
    }
  }

  async deleteBelow(prefix: string): Promise<void> {
    requireFolder(prefix)
    const keys: string[] = []
    for await (const { key } of this.list(prefix)) {
      keys.push(key)
      if (keys.length >= deleteAtOnce) await this.#deleteSome(keys.splice(0))
    }
    if (keys.length > 0) await this.#deleteSome(keys)
    await abortUnfinished(this.#sdk, this.#client, { Bucket: this.#bucket, prefix, isWanted: () => true })
  }

  async #deleteSome(keys: string[]): Promise<void> {
    const Delete = { Objects: keys.map(Key => ({ Key })), Quiet: true }
    const command = new this.#sdk.DeleteObjectsCommand({ Bucket: this.#bucket, Delete })
    const { Errors = [] } = await onBucket(this.#placeOf(keys[0]!), () => this.#client.send(command))
    if (Errors.length === 0) return
    const [first] = Errors
    const message = `s3://${this.#bucket}/${first!.Key} could not be deleted: ${first!.Message ?? first!.Code}`
    throw new Failure('storage.failed', message, { keys: Errors.map(({ Key }) => Key) })
  }

  async #abortUploadsOf(keys: string[]): Promise<void> {
    const gone = new Set(keys)
    const terms = {
      Bucket: this.#bucket,
      prefix: commonPrefix(keys),
      isWanted: (key: string) => gone.has(key),
    }
    await abortUnfinished(this.#sdk, this.#client, terms)
  }

  async free(): Promise<null> {
    return null
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.destroy()
    this.#signer.destroy()
  }

  #place(key: string): { Bucket: string; Key: string } {
    return this.#placeOf(requireKey(key))
  }

  #placeOf(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket, Key: key }
  }
}

/** The longest common prefix of the keys. */
function commonPrefix([first = '', ...others]: string[]): string {
  let length = first.length
  for (const key of others) while (!key.startsWith(first.slice(0, length))) length -= 1
  return first.slice(0, length)
}

async function* following(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first
  yield* rest
}

function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null
  throw error
}

/** If a page is compressed although its key has no .gz, the object gets a Content-Encoding header. */
const encodingOf = (key: string, bytes: Uint8Array): { ContentEncoding?: string } =>
  key.endsWith('/html.html') && bytes[0] === 0x1f && bytes[1] === 0x8b ? { ContentEncoding: 'gzip' } : {}
