// Number of browser pages: by cores and memory, unless configured.
import { availableParallelism, freemem, totalmem } from 'node:os'

const seatsPerCore = 2
/** Memory of a browser and of each page, measured on single-page apps. */
const browserBytes = 250_000_000
const seatBytes = 120_000_000
const mostSeats = 32

interface Machine {
  cores: number
  /** Usable memory. */
  memoryBytes: number
}

/** In a container, its memory limit. */
export const thisMachine = (): Machine => ({
  cores: availableParallelism(),
  memoryBytes: Math.min(process.availableMemory(), totalmem(), Math.max(freemem(), totalmem() / 2)),
})

export function poolSize(configured: number | 'auto', { cores, memoryBytes }: Machine): number {
  if (configured !== 'auto') return configured
  const byMemory = Math.floor((memoryBytes / 2 - browserBytes) / seatBytes)
  return Math.max(1, Math.min(cores * seatsPerCore, byMemory, mostSeats))
}

/** Pages that clients of `/cdp` may have; the others are for jobs. The only page of a pool is for both. */
export function clientSeats(size: number, forJobs: number | 'auto'): number {
  if (forJobs !== 'auto') return Math.max(0, size - forJobs)
  return size === 1 ? 1 : size - Math.max(1, Math.floor(size / 4))
}
