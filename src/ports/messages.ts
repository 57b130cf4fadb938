// Messages: a queue of another system that supplies work. Delivery is at least once, in any order.

export interface ReceivedMessage {
  /** Names this delivery; another delivery of the same message has another one. */
  receipt: string
  id: string
  body: string
}

export interface Messages extends AsyncDisposable {
  /** For logs. */
  readonly name: string
  /**
   * Waits up to 20 s, and returns up to ten. A message is hidden from others for `visibleAfterMs`, and delivered again unless it is
   * deleted.
   */
  receive(signal: AbortSignal): Promise<ReceivedMessage[]>
  readonly visibleAfterMs: number
  /** Hides messages for another `visibleAfterMs`. */
  extend(messages: readonly ReceivedMessage[]): Promise<void>
  /** Shows messages to others at once. */
  giveBack(messages: readonly ReceivedMessage[]): Promise<void>
  delete(messages: readonly ReceivedMessage[]): Promise<void>
  /**
   * Puts a message into the dead-letter queue with the reason; the caller deletes it then. False if there is no such queue of ours: the message
   * stays, and the redrive policy of the queue moves it.
   */
  bury(message: ReceivedMessage, reason: string): Promise<boolean>
}
