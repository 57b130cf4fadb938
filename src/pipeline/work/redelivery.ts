// Messages that are delivered again because a process died with them. They are split until the item that kills
// processes is in a message of its own. That item then fails.
import { smallerParts } from '../../lib/collections/smaller-parts.ts'
import { poisonAfter } from '../../model/task.ts'
import type { Delivery, Queue } from '../../ports/queue.ts'

/** How many processes died with the message, or with the larger message that it was split from. */
export interface Losses {
  count: number
  /** True if an item of the message may have killed a process. Then the message must run alone. */
  isSuspect: boolean
  /** True if the item must not be tried again. */
  isPoison: boolean
}

/** How often processes died with a message, and what follows from that. If the message has several items, splits it: sends
 *  its parts as new messages, and returns null. `body` creates the body of a part. */
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
