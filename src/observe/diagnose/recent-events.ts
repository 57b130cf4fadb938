// Remembers the last 500 unusual events of this process, for diagnoses.
import type { Listener } from '../../lib/emitter.ts'
import type { Events } from '../../model/events.ts'

const kept = 500

interface RecentEvent {
  at: string
  name: string
  event: unknown
}

const always = new Set<keyof Events>([
  'job.moved',
  'job.deleted',
  'raw.expired',
  'host.throttled',
  'notice.given',
])

export class RecentEvents {
  readonly #events: RecentEvent[] = []

  /** The events, oldest first. */
  get list(): readonly RecentEvent[] {
    return this.#events
  }

  readonly hear: Listener = (name, event) => {
    const told = toldOf(name, event)
    if (told === null) return
    this.#events.push({ at: new Date().toISOString(), name, event: told })
    if (this.#events.length > kept) this.#events.shift()
  }
}

/** The details of an event to store. Null if the event is normal, such as a succeeded task. */
function toldOf<Name extends keyof Events>(name: Name, event: Events[Name]): unknown {
  if (always.has(name)) return event
  if (name !== 'task.settled') return null
  const { records, reason, ...task } = event as Events['task.settled']
  return reason === 'ok' || task.state === 'skipped' ? null : { ...task, reason }
}
