// Messages: a queue of another system that supplies work. Delivery is at least once, in any order.

export interface ReceivedMessage {
  /** Identifies this delivery. Another delivery of the same message has another receipt. */
  receipt: string
  id: string
  body: string
}

export interface Messages extends AsyncDisposable {
  /** The name of the queue, for logs. */
  readonly name: string
  /**
   * Waits up to 20 s for messages and returns up to ten. A returned message is hidden from other receivers for `visibleAfterMs`. Then
   * the queue delivers it again, unless it was deleted.
   */
  receive(signal: AbortSignal): Promise<ReceivedMessage[]>
  readonly visibleAfterMs: number
  /** Hides messages from other receivers for a further `visibleAfterMs`. */
  extend(messages: readonly ReceivedMessage[]): Promise<void>
  /** Makes messages visible to other receivers at once. */
  giveBack(messages: readonly ReceivedMessage[]): Promise<void>
  delete(messages: readonly ReceivedMessage[]): Promise<void>
  /**
   * Copies a message to our dead-letter queue with the reason; then the caller deletes the message. False if we have no dead-letter
   * queue. In that case the message stays, and the redrive policy of the queue decides.
   */
  bury(message: ReceivedMessage, reason: string): Promise<boolean>
}
