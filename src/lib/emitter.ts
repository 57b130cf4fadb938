// Sends events to listeners. A listener that throws does not affect the emitter.
import type { Emit, Events } from '../model/events.ts'

export type Listener = <Name extends keyof Events>(name: Name, event: Events[Name]) => void

export class Emitter {
  #listeners = new Set<Listener>()

  readonly emit: Emit = (name, event) => {
    for (const listener of this.#listeners) {
      try {
        listener(name, event)
      } catch {
        // Ignored: a broken listener must not stop the work.
      }
    }
  }

  /** Adds a listener. Returns a function that removes it. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
