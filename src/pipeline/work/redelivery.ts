// Messages that a process died with. They are split until the item that kills processes is alone; then it fails.
import { smallerParts } from '../../lib/collections/smaller-parts.ts'
import { poisonAfter } from '../../model/task.ts'
import type { Delivery, Queue } from '../../ports/queue.ts'

/** How many processes died with the message, or with the larger message that it came from. */
export interface Losses {
  count: number
  /** One of its items may have killed a process, so it runs alone. */
  isSuspect: boolean
  /** The item must not be tried again. */
  isPoison: boolean
}

/** Sends a message with several items again in parts; null in that case. `body` makes the body of a part. */
export async function lossesOf<Body extends { lost?: number }, Item>(
  queue: Queue<Body>,
  { id, body: { lost = 0 }, delivery }: Delivery<Body>,
  items: readonly Item[],
  body: (part: Item[], lost: number) => Body,
): Promise<Losses | null> {
  const count = lost + delivery - 1
  if (delivery > 1 && items.length > 1) {
    await queue.send(smallerParts(items, count).map(part => body(part, count)))
    await queue.ack([id])
    return null
  }
  return { count, isSuspect: count > 0, isPoison: count >= poisonAfter }
}

/** Lets a loop wait until one of its messages is done. */
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
