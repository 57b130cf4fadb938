// Settings of the SQS intake and the DynamoDB mirror. The intake is off without a queue URL, and the mirror is off without a
// table name.

import * as z from 'zod'
import { defaultWorkspace } from '../model/access.ts'
import { id } from '../model/ids.ts'
import { isObject, jsonIn } from '../model/json.ts'
import { duration, setting } from './setting-kinds.ts'

const address = z.url({ protocol: /^https?$/ })

export const awsSettings = {
  sqsQueueUrl: setting(
    'SCRAPER_SQS_QUEUE_URL',
    'The URL of an SQS queue whose messages become tasks, for `kscrape serve` and `kscrape start sqs-intake`. Without it, kscrape receives no messages.',
    address.optional(),
  ),
  sqsDeadLetterUrl: setting(
    'SCRAPER_SQS_DEAD_LETTER_URL',
    'The URL of an SQS queue for messages that cannot become tasks. kscrape adds the reason to each message. Without this setting, such a message stays in the queue of `SCRAPER_SQS_QUEUE_URL` until the redrive policy of that queue moves the message.',
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
    'A DynamoDB table to which kscrape copies the state of job items, with the keys `job_id` and `item_id`. Without it, kscrape does not use DynamoDB.',
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
  return isObject(jsonIn(text))
}
