// Calls: requests, messages and broadcasts between the processes of a cluster. Requests and messages may be lost, like
// messages of the queue.

/** How long a caller waits for a response. Every request has a deadline, because perhaps no process serves it. */
export interface CallTimeout {
  withinMs: number
  /** The message of the failure `queue.unavailable` if no response arrives in time. */
  late: string
  /** Ends the wait earlier. */
  signal?: AbortSignal
  /** Send the request again after this time without a heartbeat or response. Default: 5 s. */
  againMs?: number
}

export interface Calls extends AsyncDisposable {
  /**
   * Sends a request to a process that serves `service`. That process sends heartbeats while it works. After a silence of `againMs` the
   * request is sent again, so several processes may handle it. Rejects with the Failure of the response, with `queue.unavailable` after the
   * deadline, or with the reason of the signal. After a rejection, processes that have not started the request discard it.
   */
  ask<Answer>(service: string, question: unknown, timeout: CallTimeout): Promise<Answer>
  /** Sends a message without a response. */
  tell(service: string, message: unknown): Promise<void>
  /** Handles requests concurrently until the signal is aborted. Each request goes to one of the serving processes. */
  serve(service: string, answer: (question: never) => Promise<unknown>, signal: AbortSignal): Promise<void>
  /** Discards all requests and messages that were sent to the service before this call. */
  forget(service: string): Promise<void>
  /** Broadcasts to all current listeners. */
  announce(event: unknown): Promise<void>
  /** Returns a function that stops listening. */
  listen(listener: (event: never) => void): Promise<() => void>
}
