// Queue: delivers work to workers. It is not durable, because the coordinator can refill it from the store.

/** A message that one receiver leases until it acknowledges the message or the lease ends. */
export interface Delivery<Message> {
  id: string
  body: Message
  /** 1 for the first delivery. 2 or more: an earlier receiver did not acknowledge the message. */
  delivery: number
  /** Set if the queue lost its list of receivers. An earlier receiver may still work on this message. */
  isAgain?: true
}

/**
 * At-least-once delivery: a message that is not acknowledged within its lease is delivered again. Messages stay in order unless one
 * is redelivered. Closing the queue discards its messages; do not rely on it for durability.
 */
export interface Queue<Message> extends AsyncDisposable {
  send(messages: Message[]): Promise<void>
  /** Returns up to `max` messages and waits up to `waitMs` for the first one. Empty on timeout or abort. */
  receive(max: number, waitMs: number, signal: AbortSignal): Promise<Delivery<Message>[]>
  /** Messages that arrived after the call of `receive` was aborted. A stopping worker gives their tasks back to the
   *  coordinator. */
  late?(): Promise<Delivery<Message>[]>
  /** Extends the lease of messages. */
  extend(ids: string[]): Promise<void>
  ack(ids: string[]): Promise<void>
  /** Numbers of waiting and of leased messages. */
  depth(): Promise<{ waiting: number; held: number }>
}
