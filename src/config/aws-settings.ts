// Settings of the SQS intake and the DynamoDB mirror. The intake is off without a queue URL, and the mirror is off without a
// table name.
import * as z from 'zod'
import { defaultWorkspace } from '../model/access.ts'
import { id } from '../model/ids.ts'
import { duration, setting } from './setting-kinds.ts'

const address = z.url({ protocol: /^https?$/ })

export const awsSettings = {
  sqsQueueUrl: setting(
    'SCRAPER_SQS_QUEUE_URL',
    'The URL of an SQS queue whose messages become tasks, for `kscrape serve` and `kscrape start sqs-intake`. Without it, the intake is off.',
    address.optional(),
  ),
  sqsDeadLetterUrl: setting(
    'SCRAPER_SQS_DEAD_LETTER_URL',
    'The URL of an SQS queue that gets the messages that cannot become tasks, with the reason. Without it, they stay in their queue until its redrive policy moves them.',
    address.optional(),
  ),
  sqsWorkspace: setting(
    'SCRAPER_SQS_WORKSPACE',
    'The workspace of jobs that come from the SQS queue.',
    id.default(defaultWorkspace),
  ),
  sqsJob: setting(
    'SCRAPER_SQS_JOB',
    'Fields of jobs that come from the SQS queue, as JSON like the body of `POST /jobs`.',
    z
      .string()
      .refine(isJsonObject, 'a JSON object like {"results":{"layout":"items"}}')
      .default('{"results":{"layout":"items"}}'),
  ),
  sqsJobIdleMs: setting(
    'SCRAPER_SQS_JOB_IDLE',
    'A job from the SQS queue ends when all its tasks have ended and no message arrived for this long. A later message opens it again.',
    duration.default(60_000),
  ),
  dynamodbTable: setting(
    'SCRAPER_DYNAMODB_TABLE',
    'A DynamoDB table to which kscrape copies the state of job items, with the keys `job_id` and `item_id`. Without it, the mirror is off.',
    z
      .string()
      .regex(/^[A-Za-z0-9._-]{3,255}$/, 'a table name: 3 to 255 letters, digits, ".", "_" and "-"')
      .optional(),
  ),
  dynamodbEndpoint: setting(
    'SCRAPER_DYNAMODB_ENDPOINT',
    'The URL of the DynamoDB server, if it is not AWS.',
    address.optional(),
  ),
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
