// The number of browser pages, from the cores and the memory of the machine, unless it is configured.
import { availableParallelism, freemem, totalmem } from 'node:os'

const seatsPerCore = 2
/** Memory in bytes of a browser and of each page, measured with single-page apps. */
const browserBytes = 250_000_000
const seatBytes = 120_000_000
const mostSeats = 32

interface Machine {
  cores: number
  /** Memory in bytes that browsers may use. */
  memoryBytes: number
}

/** The cores and memory of this machine. In a container, its memory limit applies. */
export const thisMachine = (): Machine => ({
  cores: availableParallelism(),
  memoryBytes: Math.min(process.availableMemory(), totalmem(), Math.max(freemem(), totalmem() / 2)),
})

export function poolSize(configured: number | 'auto', { cores, memoryBytes }: Machine): number {
  if (configured !== 'auto') return configured
  const byMemory = Math.floor((memoryBytes / 2 - browserBytes) / seatBytes)
  return Math.max(1, Math.min(cores * seatsPerCore, byMemory, mostSeats))
}

/** Number of pages that clients of `/cdp` may use. The others are reserved for jobs. With `auto` and a pool of only one
 *  page, clients and jobs share that page. */
export function clientSeats(size: number, forJobs: number | 'auto'): number {
  if (forJobs !== 'auto') return Math.max(0, size - forJobs)
  return size === 1 ? 1 : size - Math.max(1, Math.floor(size / 4))
}
