// What the lanes of a job share about a model: the tokens that it may spend, and whose turn it is to ask for rules.

/** Numbers in memory that threads share; travels with the job to every lane. */
export type ModelLedger = SharedArrayBuffer

/** `spent` is what earlier runs of the job used up. */
export function openLedger(spent = 0): ModelLedger {
  const ledger = new SharedArrayBuffer(8)
  Atomics.store(new Int32Array(ledger), places.spent, spent)
  return ledger
}

const places = { spent: 0, proposal: 1 } as const

/** With what is set aside for questions that are being asked. */
export const spentIn = (ledger: ModelLedger): number => Atomics.load(new Int32Array(ledger), places.spent)

/** The tokens of a job, wherever they are counted. */
export interface Budget {
  readonly limit: number
  /** Set aside before asking, so that all who ask at the same time stay within it together. */
  reserve(tokens: number): boolean | Promise<boolean>
  /** What was set aside becomes what it was in the end. */
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

/** Rules are asked for once in a job: by the lane that is first. */
export class ProposalTurn {
  readonly #numbers: Int32Array

  constructor(ledger: ModelLedger) {
    this.#numbers = new Int32Array(ledger)
  }

  /** Whether it is ours to ask. */
  take(): boolean {
    return Atomics.compareExchange(this.#numbers, places.proposal, steps.open, steps.asked) === steps.open
  }

  /** What was decided can be read by all. */
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
