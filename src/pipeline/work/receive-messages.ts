// The loop in which workers, processors and the ingest role receive messages while they have capacity.
import type { Clock } from '../../ports/clock.ts'
import type { Delivery, Queue } from '../../ports/queue.ts'

interface Receiver<Body> {
  /** How many more messages the process can take now. */
  capacity: () => number
  /** Resolves when the capacity may have changed. */
  untilCapacity: () => Promise<unknown>
  take: (deliveries: Delivery<Body>[]) => Promise<void> | void
}

const waitMs = 60_000
const restMs = 500

/** Receives messages until the signal is aborted. Messages in flight may finish after that. */
export async function receiveMessages<Body>(
  { queue, clock, signal }: { queue: Queue<Body>; clock: Clock; signal: AbortSignal },
  { capacity, untilCapacity, take }: Receiver<Body>,
): Promise<void> {
  while (!signal.aborted) {
    if (capacity() <= 0) {
      await untilCapacity()
      continue
    }
    try {
      await take(await queue.receive(capacity(), waitMs, signal))
    } catch {
      // The queue is down, so wait before the next attempt. Messages in flight continue.
      await clock.sleep(restMs, signal).catch(() => {})
    }
  }
}

/** Extends the leases of the messages in flight until it is disposed. */
export function extendLeases(
  queue: Pick<Queue<unknown>, 'extend'>,
  leaseMs: number,
  inFlight: () => Iterable<string>,
): Disposable {
  const beat = setInterval(() => void queue.extend([...inFlight()]).catch(() => {}), leaseMs / 4)
  return { [Symbol.dispose]: () => clearInterval(beat) }
}

/** Lets a loop wait until it has capacity again. */
export class Room {
  #came = Promise.withResolvers<void>()

  wait(): Promise<void> {
    return this.#came.promise
  }

  announce(): void {
    this.#came.resolve()
    this.#came = Promise.withResolvers()
  }
}
