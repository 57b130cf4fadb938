// Maps S3 errors to failures.
import { Failure } from '../../model/failures.ts'

interface S3Error extends Error {
  $metadata?: { httpStatusCode?: number }
}

const waysOut: Record<string, string> = {
  NoSuchBucket: 'create the bucket, or set S3_BUCKET to an existing one',
  AccessDenied: 'the credentials do not allow this; check their rights on the bucket',
  InvalidAccessKeyId: 'check AWS_ACCESS_KEY_ID',
  SignatureDoesNotMatch: 'check AWS_SECRET_ACCESS_KEY and AWS_REGION',
  CredentialsProviderError: 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the machine a role',
  ECONNREFUSED: 'nothing listens at S3_ENDPOINT',
}

export const isMissing = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'NoSuchKey' || error.name === 'NotFound')

/** Runs `work` on an object and converts its errors. The messages never contain a signature. */
export async function onBucket<Result>(
  { Bucket, Key }: { Bucket: string; Key: string },
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Failure) throw error
    const { name, message, $metadata } = error as S3Error
    const code = (error as { code?: string }).code ?? name
    const wayOut = waysOut[code] ?? waysOut[name] ?? 'the operation is retried later'
    throw new Failure(
      'storage.failed',
      `s3://${Bucket}/${Key} could not be used (${message || name}): ${wayOut}`,
      { key: Key, code, status: $metadata?.httpStatusCode ?? null },
      { cause: error },
    )
  }
}
