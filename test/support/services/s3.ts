// A server of the S3 protocol, with buckets for the tests.
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { startFauxqs } from 'fauxqs'

export interface TestS3 extends AsyncDisposable {
  url: string
  freshBucket(): Promise<string>
}

export async function startS3(): Promise<TestS3> {
  const server = await startFauxqs({ port: 0, logger: false })
  const url = `http://127.0.0.1:${server.port}`
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }
  const client = new S3Client({ endpoint: url, region: 'us-east-1', forcePathStyle: true, credentials })
  let buckets = 0
  return {
    url,
    async freshBucket() {
      const Bucket = `cluster-${++buckets}`
      await client.send(new CreateBucketCommand({ Bucket }))
      return Bucket
    },
    async [Symbol.asyncDispose]() {
      client.destroy()
      await server.stop()
    },
  }
}
