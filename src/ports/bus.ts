// Bus: short messages by topic, between the threads of a process or the processes of a cluster. Messages may be lost.

export interface Bus extends AsyncDisposable {
  /** Resolves when the message is sent, whether or not a listener exists. */
  publish(topic: string, message: string): Promise<void>
  /**
   * Calls `heard` for every message of the topic, also for messages of this process. Messages of one publisher stay in order.
   * Resolves when the subscription is active, with a function that ends it.
   */
  subscribe(topic: string, heard: (message: string) => void): Promise<() => void>
}
