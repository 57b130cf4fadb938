// A server of the DynamoDB protocol, with a table for job items.
import { once } from 'node:events'
import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import {
  type AttributeValue,
  CreateTableCommand,
  DynamoDBClient,
  QueryCommand,
} from '@aws-sdk/client-dynamodb'

export type Item = Record<string, string | number | Record<string, unknown>>

export interface TestDynamoDb extends AsyncDisposable {
  url: string
  table: string
  /** The items of a job by their ids, as plain values. */
  items(jobId: string): Promise<Record<string, Item>>
  /** The number of requests that wrote an item. */
  writes(): number
}

// The package dynalite has no types.
const dynalite = createRequire(import.meta.url)('dynalite') as (options: object) => Server

export async function startDynamoDb(table = 'job-items'): Promise<TestDynamoDb> {
  const server = dynalite({ createTableMs: 0 })
  let writes = 0
  server.on('request', ({ headers }) => {
    if (String(headers['x-amz-target']).endsWith('.PutItem')) writes++
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }
  const client = new DynamoDBClient({ region: 'us-east-1', endpoint: url, credentials })
  await client.send(
    new CreateTableCommand({
      TableName: table,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: 'job_id', KeyType: 'HASH' },
        { AttributeName: 'item_id', KeyType: 'RANGE' },
      ],
      AttributeDefinitions: ['job_id', 'item_id'].map(AttributeName => ({
        AttributeName,
        AttributeType: 'S',
      })),
    }),
  )
  return {
    url,
    table,
    writes: () => writes,
    async items(jobId) {
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName: table,
          KeyConditionExpression: 'job_id = :job',
          ExpressionAttributeValues: { ':job': { S: jobId } },
        }),
      )
      return Object.fromEntries(Items.map(item => [item.item_id!.S!, plain(item)]))
    },
    async [Symbol.asyncDispose]() {
      client.destroy()
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

const plain = (item: Record<string, AttributeValue>): Item =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, plainValue(value)])) as Item

const plainValue = ({ S, N, M }: AttributeValue): unknown => (M ? plain(M) : (S ?? Number(N)))
