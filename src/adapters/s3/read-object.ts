// Reads a large object in chunks, and resumes after a broken connection.
import type { GetObjectCommandOutput, S3Client } from '@aws-sdk/client-s3'

type Sdk = typeof import('@aws-sdk/client-s3')

/** Maximum number of consecutive attempts that deliver no data. */
const mostBreaks = 4

export async function* readObject(
  sdk: Sdk,
  client: S3Client,
  place: { Bucket: string; Key: string },
): AsyncGenerator<Buffer> {
  const reading: Reading = { position: 0, etag: undefined }
  for (let breaks = 0; ; breaks += 1) {
    const before = reading.position
    try {
      const answer = await client.send(new sdk.GetObjectCommand({ ...place, ...whereFrom(reading) }))
      reading.etag = answer.ETag
      yield* counted(answer, reading)
      return
    } catch (error) {
      if (reading.position > before) breaks = 0
      if (!isBroken(error) || breaks >= mostBreaks) throw error
    }
  }
}

/** Reads the whole object into memory. The SDK retries until the response starts; later breaks are retried here. */
export async function readWhole(
  sdk: Sdk,
  client: S3Client,
  place: { Bucket: string; Key: string; Range?: string },
): Promise<Buffer> {
  for (let breaks = 0; ; breaks += 1) {
    const answer = await client.send(new sdk.GetObjectCommand(place))
    try {
      return Buffer.from(await answer.Body!.transformToByteArray())
    } catch (error) {
      if (breaks >= mostBreaks) throw error
    }
  }
}

interface Reading {
  position: number
  etag: string | undefined
}

/** Requests the rest of the same version, because the object may have been replaced meanwhile. */
const whereFrom = ({ position, etag }: Reading) =>
  position === 0 ? {} : { Range: `bytes=${position}-`, ...(etag !== undefined && { IfMatch: etag }) }

async function* counted(answer: GetObjectCommandOutput, reading: Reading): AsyncGenerator<Buffer> {
  const from = reading.position
  for await (const chunk of answer.Body as AsyncIterable<Buffer>) {
    reading.position += chunk.length
    yield chunk
  }
  const missing = (answer.ContentLength ?? 0) - (reading.position - from)
  if (missing > 0) throw new BrokenOff(`it broke off ${missing} bytes before its end`)
}

class BrokenOff extends Error {}

/** Whether the connection broke. A refusal by the server has a status, a broken connection has none. */
const isBroken = (error: unknown): boolean =>
  error instanceof Error && !(error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode
