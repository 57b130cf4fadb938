// Decides when a browser is replaced: by its pages, age or memory, or because it has become slow.

export interface RetirementLimits {
  pages: number
  ageMs: number
  memoryBytes: number
  /** Allowed ratio of the median of the latest navigations to the median of the first ones. */
  slowdown: number
}

export const defaultLimits: RetirementLimits = {
  pages: 100,
  ageMs: 30 * 60_000,
  memoryBytes: 1_200_000_000,
  slowdown: 2,
}

interface Service {
  pages: number
  ageMs: number
  memoryBytes: number | null
  navigations: NavigationTimes
}

export type RetirementReason = 'pages' | 'age' | 'memory' | 'slow'

export function retirementReason(service: Service, limits: RetirementLimits): RetirementReason | null {
  if (service.pages >= limits.pages) return 'pages'
  if (service.ageMs >= limits.ageMs) return 'age'
  if ((service.memoryBytes ?? 0) > limits.memoryBytes) return 'memory'
  return service.navigations.slowdown() >= limits.slowdown ? 'slow' : null
}

const sampled = 20
/** Navigations faster than this never count as slow. */
const fastMs = 500

/** Times of the first navigations of a browser, and of the latest ones. */
export class NavigationTimes {
  readonly #first: number[] = []
  #latest: number[] = []

  add(ms: number): void {
    if (this.#first.length < sampled) this.#first.push(ms)
    else this.#latest = [...this.#latest, ms].slice(-sampled)
  }

  /** Median of the latest navigations divided by that of the first ones. 0 if there are too few navigations. */
  slowdown(): number {
    if (this.#latest.length < sampled) return 0
    const now = medianOf(this.#latest)
    return now < fastMs ? 0 : now / Math.max(1, medianOf(this.#first))
  }
}

function medianOf(values: number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!
}
