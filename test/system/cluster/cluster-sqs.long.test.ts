// Tests a cluster with SQS and DynamoDB: items come from SQS, their state is in DynamoDB, and results are in S3.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { TestCluster, until } from '../../support/cluster.ts'
import { startDynamoDb } from '../../support/services/dynamodb.ts'
import { startSqs } from '../../support/services/sqs.ts'

test('an item goes from SQS through the cluster to DynamoDB and S3, even if the process that reads SQS is killed after its commit', async () => {
  await using queue = await startSqs()
  await using table = await startDynamoDb()
  await using cluster = await TestCluster.open({
    ...{ SCRAPER_SQS_QUEUE_URL: queue.queueUrl, SCRAPER_SQS_DEAD_LETTER_URL: queue.deadLetterUrl },
    ...{ SCRAPER_SQS_JOB_IDLE: '1s', S3_KEYS: 'seed' },
    ...{ SCRAPER_DYNAMODB_TABLE: table.table, SCRAPER_DYNAMODB_ENDPOINT: table.url },
  })
  const item = (item_id: string) => ({
    ...{ job_id: 'test-001', item_id, scraper_id: 'example-mock', input: { test_param: item_id } },
  })
  await queue.send(item('item-1'), item('item-2'))
  const killed = await cluster
    .start(['sqs-intake'], { KILLPOINT: 'intake.after_commit_before_delete:1' })
    .catch(() => null)
  await until('the intake to be killed', () => killed === null || killed.child.signalCode === 'SIGKILL')
  assert.equal(queue.depth(), 2)

  await queue.showAgain()
  await cluster.start(['coordinator', 'http-worker', 'processor', 'sqs-intake'])
  const job = await cluster.ended('test-001')
  assert.equal(job.state, 'completed')
  await until('the queue to be empty', () => queue.depth() === 0)
  assert.equal((await cluster.store.jobs.counts('test-001')).tasks, 2)
  await until(
    'the job to be mirrored',
    async () => (await table.items('test-001'))['#job']?.status === 'completed',
  )
  const { 'item-1': one } = await table.items('test-001')
  assert.equal(one?.status, 'success')
  const client = new S3Client({
    ...{ endpoint: cluster.env.S3_ENDPOINT!, region: 'us-east-1', forcePathStyle: true },
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  })
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: cluster.env.S3_BUCKET! }))
  const keys = Contents.map(({ Key }) => Key!)
  client.destroy()
  for (const key of [
    'items/item-1/data.json',
    'items/item-2/metadata.json',
    'manifests/full/part-1.json',
    'job_metadata.json',
  ])
    assert.ok(keys.includes(`test-001/${key}`), `${key} is not among ${keys.join(', ')}`)
  assert.equal((one!.storage_keys as Record<string, string>).data, 'test-001/items/item-1/data.json')
})
