// Calls: questions, messages and news between the processes of a cluster. Hints like the queue: any of it may be lost.

export interface Calls extends AsyncDisposable {
  /**
   * Asks whoever serves `service`, and again when nothing was heard of it for `againMs` (5 s), in case whoever had it is gone: who works on
   * the answer, and be it for minutes, gives signs of it. A question may still be answered more than once. Rejects with the Failure that
   * was answered, or with the reason of the signal.
   */
  ask<Answer>(service: string, question: unknown, signal: AbortSignal, againMs?: number): Promise<Answer>
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
