// Calls: requests, messages and broadcasts between the processes of a cluster. Like the queue, they may be lost.

/** How long a caller waits for an answer. Every question has a deadline: the process that should answer may not exist. */
export interface Patience {
  withinMs: number
  /** The message of the failure `queue.unavailable` when no answer came in time. */
  late: string
  /** Ends the wait earlier. */
  signal?: AbortSignal
  /** Repeat the question after this silence; 5 s by default. */
  againMs?: number
}

export interface Calls extends AsyncDisposable {
  /**
   * Sends a request to a process that serves `service`. That process sends heartbeats while it works. After a silence of `againMs` the
   * request is sent again, so several processes may handle it. Rejects with the Failure of the response, with `queue.unavailable` after the
   * deadline, or with the reason of the signal. An abandoned request is withdrawn.
   */
  ask<Answer>(service: string, question: unknown, patience: Patience): Promise<Answer>
  /** Sends a message without a response. */
  tell(service: string, message: unknown): Promise<void>
  /** Handles requests concurrently until the signal. Each request goes to one of the serving processes. */
  serve(service: string, answer: (question: never) => Promise<unknown>, signal: AbortSignal): Promise<void>
  /** Discards all requests and messages sent before now. */
  forget(service: string): Promise<void>
  /** Broadcasts to all current listeners. */
  announce(news: unknown): Promise<void>
  /** Returns a function that stops listening. */
  listen(listener: (news: never) => void): Promise<() => void>
}
