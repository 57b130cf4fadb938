// Bus: short messages by topic, between the threads of a process or the processes of a cluster. Messages may be lost.

export interface Bus extends AsyncDisposable {
  /** Resolves when the message is sent, whether or not a listener exists. */
  publish(topic: string, message: string): Promise<void>
  /**
   * Calls `heard` for each message of others and of this process, in the order of each publisher. Resolves when it is in force, with
   * the function that ends it.
   */
  subscribe(topic: string, heard: (message: string) => void): Promise<() => void>
}
