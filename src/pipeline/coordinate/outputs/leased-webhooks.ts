// Webhooks that this process has leased. If the process dies, the leases expire and another process sends the webhooks.
import type { Webhook } from '../../../model/webhook.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { OutboxStore } from '../../../ports/service-stores.ts'

interface HoldParts {
  outbox: Pick<OutboxStore, 'take' | 'hold'>
  clock: Clock
}

/** Duration of a lease. If a process dies, another process can send its webhooks after this time. */
const holdMs = 6_000
/** How often leases are renewed. Two renewals in a row may fail before a lease expires. */
const holdAgainMs = 2_000

export class LeasedWebhooks {
  readonly webhooks: readonly Webhook[]
  readonly #parts: HoldParts
  readonly #left: Set<string>
  readonly #over = new AbortController()
  #until: number

  private constructor(parts: HoldParts, webhooks: readonly Webhook[], until: number) {
    this.#parts = parts
    this.webhooks = webhooks
    this.#left = new Set(webhooks.map(({ id }) => id))
    this.#until = until
  }

  static async take(parts: HoldParts, limit: number): Promise<LeasedWebhooks> {
    const now = parts.clock.now()
    const held = new LeasedWebhooks(parts, await parts.outbox.take({ now, holdMs, limit }), now + holdMs)
    void held.#keep()
    return held
  }

  /** Stops renewing the lease of a webhook. If its delivery was not settled, the lease expires. */
  release({ id }: Webhook): void {
    this.#left.delete(id)
    if (this.#left.size === 0) this.#over.abort()
  }

  async #keep(): Promise<void> {
    while (this.#left.size > 0) {
      await this.#parts.clock.sleep(holdAgainMs, this.#over.signal).catch(() => {})
      // If the store is down, the lease may expire, and another process may send the webhook again. Both deliveries
      // have the same webhook id.
      if (this.#left.size > 0) await this.#holdAgain().catch(() => {})
    }
  }

  async #holdAgain(): Promise<void> {
    const until = this.#parts.clock.now() + holdMs
    await this.#parts.outbox.hold([...this.#left], { from: this.#until, until })
    this.#until = until
  }
}
