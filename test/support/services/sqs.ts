// A server of the SQS protocol, with a queue and its dead-letter queue.
import {
  ChangeMessageVisibilityCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { startFauxqs } from 'fauxqs'

export interface TestQueue extends AsyncDisposable {
  queueUrl: string
  deadLetterUrl: string
  /** Sends messages: objects as JSON, text unchanged. */
  send(...bodies: unknown[]): Promise<void>
  /** The number of messages in the queue, hidden messages included. */
  depth(): number
  /** The messages in the dead-letter queue. */
  buried(): Promise<Message[]>
  /** Makes hidden messages visible again, as if their visibility timeout had ended. */
  showAgain(): Promise<void>
}

export async function startSqs(): Promise<TestQueue> {
  const server = await startFauxqs({ port: 0, logger: false })
  const at = `http://127.0.0.1:${server.port}`
  for (const name of ['scrape', 'dead']) server.createQueue(name)
  const urlOf = (name: string) => `${at}/000000000000/${name}`
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }
  const client = new SQSClient({ region: 'us-east-1', endpoint: at, credentials })
  const queueUrl = urlOf('scrape')
  const deadLetterUrl = urlOf('dead')
  const buried: Message[] = []
  return {
    queueUrl,
    deadLetterUrl,
    async send(...bodies) {
      for (let start = 0; start < bodies.length; start += 10) {
        const Entries = bodies.slice(start, start + 10).map((body, index) => ({
          Id: String(index),
          MessageBody: typeof body === 'string' ? body : JSON.stringify(body),
        }))
        await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }))
      }
    },
    depth: () => {
      const { ready, delayed, inflight } = server.inspectQueue('scrape')!.messages
      return ready.length + delayed.length + inflight.length
    },
    async buried() {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl: deadLetterUrl,
          MaxNumberOfMessages: 10,
          MessageAttributeNames: ['All'],
          VisibilityTimeout: 3_600,
        }),
      )
      buried.push(...Messages)
      return buried
    },
    async showAgain() {
      for (const { receiptHandle: ReceiptHandle } of server.inspectQueue('scrape')!.messages.inflight)
        await client.send(
          new ChangeMessageVisibilityCommand({ QueueUrl: queueUrl, ReceiptHandle, VisibilityTimeout: 0 }),
        )
    },
    async [Symbol.asyncDispose]() {
      client.destroy()
      await server.stop()
    },
  }
}
