// Mirrors job items to Amazon DynamoDB, or to a server with the same protocol.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { loadFor } from '../../lib/optional-packages.ts'
import { Failure } from '../../model/failures.ts'
import type { ItemMirror, MirroredItem, MirroredJob } from '../../ports/item-mirror.ts'
import { itemRow, jobRow, type Row } from './items.ts'

interface DynamoDbOptions {
  table: string
  /** URL of the server; null means AWS. */
  endpoint: string | null
  region: string
  /** If null, the SDK finds the credentials: environment, profile, or the role of the ECS task. */
  credentials: { accessKeyId: string; secretAccessKey: string } | null
}

/** Maximum number of parallel writes. DynamoDB does not accept conditional writes in a batch. */
const atOnce = 20

type Sdk = typeof import('@aws-sdk/client-dynamodb')

export async function openDynamoDbMirror(options: DynamoDbOptions): Promise<ItemMirror> {
  const sdk = await loadFor('dynamodb', () => import('@aws-sdk/client-dynamodb'))
  const { endpoint, region, credentials } = options
  const client = new sdk.DynamoDBClient({
    region,
    maxAttempts: 5,
    requestHandler: { connectionTimeout: 5_000, socketTimeout: 10_000 },
    ...(endpoint !== null && { endpoint }),
    ...(credentials && { credentials }),
  })
  return {
    send: (items, jobs, signal) => sendAll(sdk, client, options.table, rowsOf(items, jobs), signal),
    [Symbol.asyncDispose]: async () => client.destroy(),
  }
}

const rowsOf = (items: readonly MirroredItem[], jobs: readonly MirroredJob[]): Row[] => [
  ...items.map(itemRow),
  ...jobs.map(jobRow),
]

async function sendAll(
  sdk: Sdk,
  client: DynamoDBClient,
  table: string,
  rows: Row[],
  signal: AbortSignal,
): Promise<void> {
  for (let start = 0; start < rows.length; start += atOnce) {
    const writes = rows.slice(start, start + atOnce).map(row => put(sdk, client, table, row, signal))
    const refused = (await Promise.allSettled(writes)).find(({ status }) => status === 'rejected')
    if (refused?.status === 'rejected') throw refused.reason
  }
}

/** Writes a row unless the stored row has the same or a higher version. That happens if a write is repeated, or if a former
 *  leader still writes. */
async function put(
  sdk: Sdk,
  client: DynamoDBClient,
  table: string,
  Item: Row,
  signal: AbortSignal,
): Promise<void> {
  const command = new sdk.PutItemCommand({
    TableName: table,
    Item,
    ConditionExpression: 'attribute_not_exists(version) OR version < :version',
    ExpressionAttributeValues: { ':version': Item.version! },
  })
  try {
    await client.send(command, { abortSignal: signal })
  } catch (cause) {
    if (cause instanceof sdk.ConditionalCheckFailedException) return
    throw unavailable(table, cause as Error)
  }
}

const waysOut: Partial<Record<string, string>> = {
  ResourceNotFoundException:
    'create the table with the keys job_id and item_id, or check SCRAPER_DYNAMODB_TABLE and AWS_REGION',
  ValidationException: 'the table needs the partition key job_id and the sort key item_id, both text',
  AccessDeniedException: 'the credentials do not allow writing to the table',
  CredentialsProviderError: 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the task a role',
  ECONNREFUSED: 'nothing listens at SCRAPER_DYNAMODB_ENDPOINT',
}

function unavailable(table: string, cause: Error): Failure {
  const code = (cause as { code?: string }).code ?? cause.name
  return new Failure(
    'sink.unavailable',
    `DynamoDB table ${table} rejected items (${cause.message || cause.name}): ${waysOut[code] ?? 'the operation is retried'}`,
    { table, code },
    { cause },
  )
}
