// Announces events to listeners; one that throws never reaches the emitter.
import type { Emit, Events } from '../model/events.ts'

export type Listener = <Name extends keyof Events>(name: Name, event: Events[Name]) => void

export class Emitter {
  #listeners = new Set<Listener>()

  readonly emit: Emit = (name, event) => {
    for (const listener of this.#listeners) {
      try {
        listener(name, event)
      } catch {
        // A broken listener is its own problem; the work goes on.
      }
    }
  }

  /** Returns what stops the listening. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
