// Checks whether runnable tasks have workers. An autoscaler may take some minutes to start one.
import type { RunnableWork } from '../../pipeline/coordinate/runnable-work.ts'
import type { WorkerHeartbeat } from '../../ports/stream-contents.ts'

const lookEveryMs = 30_000
/** How long tasks may wait for a worker. It is long, because the autoscaler may have to start nodes first. */
const patienceMs = 600_000

const kinds = [
  ['http-worker', 'http'],
  ['browser-worker', 'browser'],
  ['processor', 'process'],
] as const satisfies ReadonlyArray<readonly [string, keyof RunnableWork]>

type Kind = (typeof kinds)[number][0]

export const missingRoles = (signs: readonly WorkerHeartbeat[]): Kind[] =>
  kinds.flatMap(([role]) => (signs.some(sign => sign.role === role) ? [] : [role]))

export class MissingWorkers {
  /** For each role without a worker: since when tasks wait, and how many. */
  readonly #alone = new Map<Kind, { since: number; tasks: number }>()
  #nextLook = 0

  isDue(now: number): boolean {
    return now >= this.#nextLook
  }

  note(missing: readonly Kind[], work: RunnableWork, now: number): void {
    this.#nextLook = now + lookEveryMs
    for (const [role, kind] of kinds) {
      const tasks = missing.includes(role) ? work[kind] : 0
      if (tasks === 0) this.#alone.delete(role)
      else this.#alone.set(role, { since: this.#alone.get(role)?.since ?? now, tasks })
    }
  }

  /** The problem as a message. Null while every kind of task has a worker, or may soon have one. */
  trouble(now: number): string | null {
    const late = [...this.#alone].filter(([, { since }]) => now - since >= patienceMs)
    if (late.length === 0) return null
    return late.map(([role, { since, tasks }]) => alone(role, tasks, now - since)).join('; ')
  }
}

const alone = (role: Kind, tasks: number, ms: number): string =>
  `${tasks} tasks are due, and no ${role} has run for ${Math.floor(ms / 60_000)} minutes: start one (docs/runbooks/no-worker.md)`
