// The loop of a processor: loads the next pages while it parses, and commits the parsed pages in groups.

import { retryWhileBusy } from '../../lib/retry-while-busy.ts'
import type { ProcessMessage } from '../../model/cluster-messages.ts'
import { asFailure } from '../../model/failures.ts'
import type { Reported } from '../../pipeline/coordinate/settle/settle-reports.ts'
import { extendLeases, Room, receiveMessages } from '../../pipeline/work/receive-messages.ts'
import { type Losses, lossesOf } from '../../pipeline/work/redelivery.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Delivery, Queue } from '../../ports/queue.ts'

interface ProcessLoopParts<Brought> {
  queue: Queue<ProcessMessage>
  clock: Clock
  leaseMs: number
  /** Loads the stored pages. Starts as soon as the message arrives. */
  bring: (message: ProcessMessage) => Promise<Brought>
  read: (message: ProcessMessage, brought: Brought, losses: Losses) => Promise<Reported[]>
  /** Resolves when the results are committed and reported to the coordinators. */
  settle: (owner: string, reported: Reported[]) => Promise<void>
}

/** Maximum number of messages in flight: one is parsed, one is committed, and the pages of the other messages are
 *  loaded. */
const mostHeld = 6
/** Maximum number of pages in one commit. More pages would lock the job's row for too long. */
const mostPages = 1_024

interface Read {
  id: string
  owner: string
  reported: Reported[]
}

export class ProcessLoop<Brought> {
  readonly #parts: ProcessLoopParts<Brought>
  /** Ids of messages that are received and not acknowledged yet. */
  readonly #held = new Set<string>()
  /** Ids of those messages in `#held` that are being processed. */
  readonly #begun = new Set<string>()
  #reading: Promise<void> = Promise.resolve()
  #read: Read[] = []
  #commits = false
  readonly #room = new Room()
  #stop: AbortSignal | undefined

  constructor(parts: ProcessLoopParts<Brought>) {
    this.#parts = parts
  }

  get held(): number {
    return this.#held.size
  }

  /** Receives messages until the signal is aborted, then finishes those in flight. */
  async run(signal: AbortSignal): Promise<void> {
    const { queue, clock, leaseMs } = this.#parts
    this.#stop = signal
    using _leases = extendLeases(queue, leaseMs, () => this.#held)
    const from = { queue, clock, signal }
    await receiveMessages(from, {
      capacity: () => mostHeld - this.#held.size,
      untilCapacity: () => this.#room.wait(),
      take: deliveries => this.#takeAll(deliveries),
    })
    await this.#takeAll((await queue.late?.()) ?? []).catch(() => {})
    while (this.#begun.size > 0) await this.#room.wait()
  }

  async #takeAll(deliveries: Delivery<ProcessMessage>[]): Promise<void> {
    for (const { id } of deliveries) this.#held.add(id)
    try {
      for (const delivery of deliveries) await this.#take(delivery)
    } finally {
      // Messages that did not start get no more heartbeats. So the queue delivers them again, to any processor.
      this.#done(deliveries.flatMap(({ id }) => (this.#begun.has(id) ? [] : [id])))
    }
  }

  /** Starts a message. If a processor died while it processed this message, the message is now processed alone. */
  async #take(delivery: Delivery<ProcessMessage>): Promise<void> {
    const { id, body } = delivery
    const resend = (entries: ProcessMessage['entries'], lost: number) => ({ ...body, entries, lost })
    const losses = await lossesOf(this.#parts.queue, delivery, body.entries, resend)
    if (!losses) return this.#done([id])
    while (losses.isSuspect && this.#begun.size > 0) await this.#room.wait()
    this.#begun.add(id)
    const bringing = this.#parts.bring(body)
    // The error is handled where the promise is awaited.
    bringing.catch(() => {})
    this.#reading = this.#reading.then(() => this.#readOne(id, body, bringing, losses))
    while (losses.isSuspect && this.#begun.has(id)) await this.#room.wait()
  }

  async #readOne(
    id: string,
    body: ProcessMessage,
    bringing: Promise<Brought>,
    losses: Losses,
  ): Promise<void> {
    try {
      const brought = await bringing
      const reported = await retryWhileBusy(this.#parts.clock, this.#stop, () =>
        this.#parts.read(body, brought, losses),
      )
      this.#read.push({ id, owner: body.owner, reported })
      void this.#commit()
    } catch (error) {
      this.#giveUp([id], error)
    }
  }

  /** Runs one commit at a time. Pages that are parsed meanwhile join the next commit. */
  async #commit(): Promise<void> {
    if (this.#commits) return
    this.#commits = true
    while (this.#read.length > 0) {
      const group = this.#takeGroup()
      const ids = group.map(({ id }) => id)
      const reported = group.flatMap(one => one.reported)
      try {
        await retryWhileBusy(this.#parts.clock, this.#stop, () =>
          this.#parts.settle(group[0]!.owner, reported),
        )
        await this.#parts.queue.ack(ids).catch(() => {})
        this.#done(ids)
      } catch (error) {
        this.#giveUp(ids, error)
      }
    }
    this.#commits = false
  }

  #takeGroup(): Read[] {
    const [first] = this.#read
    let pages = 0
    const fits = ({ owner, reported }: Read) => {
      pages += reported.length
      return owner === first!.owner && (pages <= mostPages || pages === reported.length)
    }
    const end = this.#read.findIndex(one => !fits(one))
    return this.#read.splice(0, end === -1 ? this.#read.length : end)
  }

  /** Releases messages that failed. The queue delivers each of them again when its lease expires. */
  #giveUp(ids: string[], error: unknown): void {
    process.emitWarning(`${ids.length} messages could not be processed: ${asFailure(error).message}`)
    this.#done(ids)
  }

  #done(ids: string[]): void {
    for (const id of ids) {
      this.#held.delete(id)
      this.#begun.delete(id)
    }
    this.#room.announce()
  }
}
