// Messages from Amazon SQS, or from a server with the same protocol.
import type { SQSClient } from '@aws-sdk/client-sqs'
import { loadFor } from '../../lib/optional-packages.ts'
import { Failure } from '../../model/failures.ts'
import type { Messages, ReceivedMessage } from '../../ports/messages.ts'

interface SqsOptions {
  queueUrl: string
  deadLetterUrl: string | null
  region: string
  /** If null, the SDK finds the credentials: environment, profile, or the role of the ECS task. */
  credentials: { accessKeyId: string; secretAccessKey: string } | null
}

/** SQS's limit per receive and per batch. */
const mostAtOnce = 10
/** The longest wait for messages that SQS allows, in seconds. */
const waitSeconds = 20
/** How long a received message is hidden from other receivers. Longer than a commit, and short enough that messages of a killed
 *  process return soon. */
const visibleAfterMs = 60_000
/** Maximum number of characters of the reason attribute. */
const mostReason = 1_000

type Sdk = typeof import('@aws-sdk/client-sqs')

export async function openSqsMessages(options: SqsOptions): Promise<Messages> {
  const sdk = await loadFor('sqs', () => import('@aws-sdk/client-sqs'))
  const { region, credentials } = options
  const client = new sdk.SQSClient({
    region,
    // The server of the queue URL. It is AWS, or another server with the same protocol.
    endpoint: new URL(options.queueUrl).origin,
    maxAttempts: 5,
    // A long poll is silent for 20 s, so the timeout is longer.
    requestHandler: { connectionTimeout: 5_000, socketTimeout: waitSeconds * 1_000 + 10_000 },
    ...(credentials && { credentials }),
  })
  return new SqsMessages(sdk, client, options)
}

class SqsMessages implements Messages {
  readonly visibleAfterMs = visibleAfterMs
  readonly name: string
  readonly #sdk: Sdk
  readonly #client: SQSClient
  readonly #options: SqsOptions

  constructor(sdk: Sdk, client: SQSClient, options: SqsOptions) {
    this.name = options.queueUrl.slice(options.queueUrl.lastIndexOf('/') + 1)
    this.#sdk = sdk
    this.#client = client
    this.#options = options
  }

  receive(signal: AbortSignal): Promise<ReceivedMessage[]> {
    const command = new this.#sdk.ReceiveMessageCommand({
      QueueUrl: this.#options.queueUrl,
      MaxNumberOfMessages: mostAtOnce,
      WaitTimeSeconds: waitSeconds,
      VisibilityTimeout: visibleAfterMs / 1_000,
    })
    return this.#asked(async () => {
      const { Messages = [] } = await this.#client.send(command, { abortSignal: signal })
      return Messages.map(({ ReceiptHandle, MessageId, Body }) => ({
        receipt: ReceiptHandle!,
        id: MessageId ?? '',
        body: Body ?? '',
      }))
    })
  }

  extend = (messages: readonly ReceivedMessage[]): Promise<void> =>
    this.#changeVisibility(messages, visibleAfterMs / 1_000)

  giveBack = (messages: readonly ReceivedMessage[]): Promise<void> => this.#changeVisibility(messages, 0)

  async #changeVisibility(messages: readonly ReceivedMessage[], VisibilityTimeout: number): Promise<void> {
    if (messages.length === 0) return
    const Entries = entriesOf(messages).map(entry => ({ ...entry, VisibilityTimeout }))
    const QueueUrl = this.#options.queueUrl
    // If SQS has delivered a message again meanwhile, the old receipt is invalid, so this call fails. The new delivery is then a
    // duplicate.
    await this.#asked(() =>
      this.#client.send(new this.#sdk.ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries })),
    )
  }

  async delete(messages: readonly ReceivedMessage[]): Promise<void> {
    if (messages.length === 0) return
    const QueueUrl = this.#options.queueUrl
    const command = new this.#sdk.DeleteMessageBatchCommand({ QueueUrl, Entries: entriesOf(messages) })
    await this.#asked(() => this.#client.send(command))
  }

  async bury({ body, id }: ReceivedMessage, reason: string): Promise<boolean> {
    const { deadLetterUrl } = this.#options
    if (deadLetterUrl === null) return false
    const text = (StringValue: string) => ({ DataType: 'String', StringValue })
    const command = new this.#sdk.SendMessageCommand({
      QueueUrl: deadLetterUrl,
      MessageBody: body === '' ? '(empty)' : body,
      MessageAttributes: {
        reason: text(reason.slice(0, mostReason)),
        queue: text(this.name),
        message_id: text(id || '-'),
      },
    })
    await this.#asked(() => this.#client.send(command))
    return true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.destroy()
  }

  async #asked<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (cause) {
      const { name, message } = cause as Error
      const code = (cause as { code?: string }).code ?? name
      throw new Failure(
        'queue.unavailable',
        `SQS queue ${this.#options.queueUrl} could not be used (${message || name}): ${waysOut[code] ?? 'the operation is retried'}`,
        { queue: this.name, code },
        { cause },
      )
    }
  }
}

const waysOut: Partial<Record<string, string>> = {
  QueueDoesNotExist: 'check SCRAPER_SQS_QUEUE_URL and AWS_REGION',
  'AWS.SimpleQueueService.NonExistentQueue': 'check SCRAPER_SQS_QUEUE_URL and AWS_REGION',
  AccessDenied: 'the credentials do not allow this; check their rights on the queue',
  InvalidClientTokenId: 'check AWS_ACCESS_KEY_ID',
  SignatureDoesNotMatch: 'check AWS_SECRET_ACCESS_KEY and AWS_REGION',
  CredentialsProviderError: 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the task a role',
  ECONNREFUSED: 'nothing listens at SCRAPER_SQS_QUEUE_URL',
}

const entriesOf = (messages: readonly ReceivedMessage[]) =>
  messages.map(({ receipt }, index) => ({ Id: String(index), ReceiptHandle: receipt }))
