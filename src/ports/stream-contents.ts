// What lies in the streams of work, and who takes from them.
import type { BrowserPool } from '../model/events.ts'

export interface StreamEntry<Message> {
  id: string
  body: Message
  /** Whether somebody was handed it; it stays in the stream until it is done. */
  isTaken: boolean
}

export interface WorkerSign {
  name: string
  role: string
  /** How much it does at a time. */
  concurrency: number
  /** Tasks in hand. */
  held: number
  memoryBytes?: number
  startedAt?: number
  /** Only of who has browsers, from its first page on. */
  browserPool?: BrowserPool
}

export interface StreamContents extends AsyncDisposable {
  /** All that is not done. */
  entries<Message>(stream: string): Promise<StreamEntry<Message>[]>
  /** How long the oldest message waits that nobody has taken; 0 where none waits. */
  waitingMs(stream: string): Promise<number>
  drop(stream: string, ids: string[]): Promise<void>
  /** Corrects the lag that autoscalers read, once no message waits: messages that were dropped must not count. */
  resetLag(stream: string): Promise<void>
  /** Forgets who received from it once, holds nothing, did nothing for so long, and gives no sign of life. */
  forgetReceivers(stream: string, idleMs: number): Promise<void>
  /** A sign of life, to be given every few seconds. */
  signIn(name: string, sign: Omit<WorkerSign, 'name'>): Promise<void>
  signOut(name: string): Promise<void>
  /** Those who gave a sign of life lately. */
  workers(): Promise<WorkerSign[]>
}
