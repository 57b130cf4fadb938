// Calls: questions, messages and news between the processes of a cluster. Hints like the queue: any of it may be lost.

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
   * Asks a process that serves `service`. A process that works on the answer gives signs of life; after a silence of `againMs` the question
   * is repeated, so several processes may answer it. Rejects with the Failure that was answered, with `queue.unavailable` after the deadline,
   * or with the reason of the signal. A question that was given up is withdrawn.
   */
  ask<Answer>(service: string, question: unknown, patience: Patience): Promise<Answer>
  /** Without an answer. */
  tell(service: string, message: unknown): Promise<void>
  /** Answers what is asked, several at a time, until the signal. Each question is answered by one of those who serve. */
  serve(service: string, answer: (question: never) => Promise<unknown>, signal: AbortSignal): Promise<void>
  /** What was asked or told before now is of no interest any more. */
  forget(service: string): Promise<void>
  /** To everyone who listens now. */
  announce(news: unknown): Promise<void>
  /** Returns what ends the listening. */
  listen(listener: (news: never) => void): Promise<() => void>
}
