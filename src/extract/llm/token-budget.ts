// State that the lanes of a job share: the token budget of the model, and which lane requests rules.

/** Shared memory with two numbers: spent tokens, and the state of the proposal. Every lane gets it with the job. */
export type ModelLedger = SharedArrayBuffer

/** `spent` is the number of tokens that earlier runs used. */
export function openLedger(spent = 0): ModelLedger {
  const ledger = new SharedArrayBuffer(8)
  Atomics.store(new Int32Array(ledger), places.spent, spent)
  return ledger
}

const places = { spent: 0, proposal: 1 } as const

/** Number of used tokens, including those reserved for running requests. */
export const spentIn = (ledger: ModelLedger): number => Atomics.load(new Int32Array(ledger), places.spent)

/** The token budget of a job. */
export interface Budget {
  readonly limit: number
  /** Call before a request, so that concurrent requests stay within the budget. False if too few tokens are left. */
  reserve(tokens: number): boolean | Promise<boolean>
  /** Replaces the reservation by the number of tokens that were used. */
  settle(reserved: number, used: number): void | Promise<void>
}

/** A budget in memory, shared by the lanes of one process. */
export class TokenBudget implements Budget {
  readonly limit: number
  readonly #numbers: Int32Array

  constructor(limit: number, ledger: ModelLedger) {
    this.limit = limit
    this.#numbers = new Int32Array(ledger)
  }

  get spent(): number {
    return Atomics.load(this.#numbers, places.spent)
  }

  reserve(tokens: number): boolean {
    const before = Atomics.add(this.#numbers, places.spent, tokens)
    if (before + tokens <= this.limit) return true
    Atomics.sub(this.#numbers, places.spent, tokens)
    return false
  }

  settle(reserved: number, used: number): void {
    Atomics.add(this.#numbers, places.spent, used - reserved)
  }
}

const steps = { open: 0, asked: 1, decided: 2 } as const

/** Decides which lane requests rules from the model. Only the first lane does, once per job. */
export class ProposalTurn {
  readonly #numbers: Int32Array

  constructor(ledger: ModelLedger) {
    this.#numbers = new Int32Array(ledger)
  }

  /** True if this lane must request the rules. */
  take(): boolean {
    return Atomics.compareExchange(this.#numbers, places.proposal, steps.open, steps.asked) === steps.open
  }

  /** Marks the decision as stored. From then on, all lanes may read it. */
  decided(): void {
    Atomics.store(this.#numbers, places.proposal, steps.decided)
  }

  get isOpen(): boolean {
    return Atomics.load(this.#numbers, places.proposal) === steps.open
  }

  get isDecided(): boolean {
    return Atomics.load(this.#numbers, places.proposal) === steps.decided
  }
}
