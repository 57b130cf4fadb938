// How many pages are open at a time: by cores and by memory, unless the operator says.
import { availableParallelism, freemem, totalmem } from 'node:os'

const seatsPerCore = 2
/** A browser by itself, and each page in it; measured on single-page apps. */
const browserBytes = 250_000_000
const seatBytes = 120_000_000
const mostSeats = 32

export interface Machine {
  cores: number
  /** What may be used. */
  memoryBytes: number
}

/** Memory as the container gives it, where there is one. */
export const thisMachine = (): Machine => ({
  cores: availableParallelism(),
  memoryBytes: Math.min(process.availableMemory(), totalmem(), Math.max(freemem(), totalmem() / 2)),
})

export function poolSize(configured: number | 'auto', { cores, memoryBytes }: Machine): number {
  if (configured !== 'auto') return configured
  const byMemory = Math.floor((memoryBytes / 2 - browserBytes) / seatBytes)
  return Math.max(1, Math.min(cores * seatsPerCore, byMemory, mostSeats))
}
