// Shared by the lanes of a job: the token budget of the model, and which lane asks for rules.

/** Numbers in memory that threads share; travels with the job to every lane. */
export type ModelLedger = SharedArrayBuffer

/** `spent` is the use of earlier runs. */
export function openLedger(spent = 0): ModelLedger {
  const ledger = new SharedArrayBuffer(8)
  Atomics.store(new Int32Array(ledger), places.spent, spent)
  return ledger
}

const places = { spent: 0, proposal: 1 } as const

/** Includes reserved tokens of running requests. */
export const spentIn = (ledger: ModelLedger): number => Atomics.load(new Int32Array(ledger), places.spent)

/** The tokens of a job, wherever they are counted. */
export interface Budget {
  readonly limit: number
  /** Reserve before a request, so that concurrent requests stay within the budget. */
  reserve(tokens: number): boolean | Promise<boolean>
  /** Replaces the reservation by the actual use. */
  settle(reserved: number, used: number): void | Promise<void>
}

/** Counted in memory, by the lanes of one process. */
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

/** Rules are requested once per job, by the first lane. */
export class ProposalTurn {
  readonly #numbers: Int32Array

  constructor(ledger: ModelLedger) {
    this.#numbers = new Int32Array(ledger)
  }

  /** Whether this lane should ask. */
  take(): boolean {
    return Atomics.compareExchange(this.#numbers, places.proposal, steps.open, steps.asked) === steps.open
  }

  /** All lanes may read the decision now. */
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
