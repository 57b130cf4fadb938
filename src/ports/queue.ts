// Queue: hands work to workers. A hint, not the truth: the store can always refill it.

/** A message held by one receiver until it is acknowledged or its lease ends. */
export interface Delivery<Message> {
  id: string
  body: Message
  /** 1 the first time; more means that somebody had it before and did not finish. */
  delivery: number
  /** Nobody knows any more who has it: somebody may, and is not done. */
  isAgain?: true
}

/**
 * At least once: a message that is not acknowledged within the lease is delivered again, counted. Order is kept as far as
 * nothing is redelivered. Closing the queue loses what is in it; nobody may rely on it for durability.
 */
export interface Queue<Message> extends AsyncDisposable {
  send(messages: Message[]): Promise<void>
  /** Up to `max` messages; waits up to `waitMs` for the first one. Empty when there was none, or on abort. */
  receive(max: number, waitMs: number, signal: AbortSignal): Promise<Delivery<Message>[]>
  /** What came for a receive that was called off meanwhile: for whoever stops, and would leave it to nobody. */
  late?(): Promise<Delivery<Message>[]>
  /** Keeps held messages for another lease. */
  extend(ids: string[]): Promise<void>
  ack(ids: string[]): Promise<void>
  /** Waiting and held. */
  depth(): Promise<{ waiting: number; held: number }>
}
