// The contents of the work streams, and the workers that receive from them.
import type { BrowserPool } from '../model/events.ts'

export interface StreamEntry<Message> {
  id: string
  body: Message
  /** Whether a worker has received the message. Received messages stay in the stream until they are acknowledged. */
  isTaken: boolean
}

export interface WorkerHeartbeat {
  name: string
  role: string
  /** The number of tasks that the worker runs at once. */
  concurrency: number
  /** Tasks in flight. */
  held: number
  memoryBytes?: number
  startedAt?: number
  /** Only for workers with browsers, and only after their first page. */
  browserPool?: BrowserPool
}

export interface StreamContents extends AsyncDisposable {
  /** All unacknowledged messages. */
  entries<Message>(stream: string): Promise<StreamEntry<Message>[]>
  /** How long the oldest undelivered message has waited; 0 if there is none. */
  waitingMs(stream: string): Promise<number>
  drop(stream: string, ids: string[]): Promise<void>
  /** Sets the stream's lag to 0 if no message waits. Autoscalers read the lag, and Redis still counts dropped messages in it. */
  resetLag(stream: string): Promise<void>
  /** Deletes consumers that hold no message, were idle for `idleMs`, and send no heartbeat. */
  forgetReceivers(stream: string, idleMs: number): Promise<void>
  /** Stores a heartbeat of the worker. Workers call this every few seconds. */
  signIn(name: string, sign: Omit<WorkerHeartbeat, 'name'>): Promise<void>
  signOut(name: string): Promise<void>
  /** Workers with a recent heartbeat. */
  workers(): Promise<WorkerHeartbeat[]>
}
