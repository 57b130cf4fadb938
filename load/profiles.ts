// Load profiles: the rate over time, and the thresholds. docs/load-testing.md describes each.
import type { Stage } from './arrivals.ts'

interface Profile {
  about: string
  /** Arrivals per second at the peak. */
  rate: number
  seconds: number
  /** The stages. `share` is the share of the total time; `from` and `to` are rates as a share of the peak. */
  shape: Array<{ share: number; from: number; to: number }>
  thresholds: string[]
}

/** For every profile: no accepted job may be lost, and the runner must keep up. */
const always = ['lost<1', 'dropped<1']

export const profiles = {
  smoke: {
    about: 'a smoke test: a few requests a second for ten seconds',
    ...{ rate: 5, seconds: 10 },
    shape: [{ share: 1, from: 1, to: 1 }],
    thresholds: [...always, 'errors<0.01', 'p99<2000'],
  },
  steady: {
    about: 'normal load: the rate rises for half a minute, then stays constant for four and a half minutes',
    ...{ rate: 50, seconds: 300 },
    shape: [
      { share: 0.1, from: 0, to: 1 },
      { share: 0.9, from: 1, to: 1 },
    ],
    thresholds: [
      ...always,
      'errors<0.01',
      'status.p99<100',
      'results.p99<250',
      'submit.p99<250',
      'scrape.p95<2000',
    ],
  },
  spike: {
    about: 'half a minute at ten times the rate: shows whether the service recovers',
    ...{ rate: 200, seconds: 150 },
    shape: [
      { share: 0.2, from: 0.1, to: 0.1 },
      { share: 0.07, from: 0.1, to: 1 },
      { share: 0.2, from: 1, to: 1 },
      { share: 0.07, from: 1, to: 0.1 },
      { share: 0.46, from: 0.1, to: 0.1 },
    ],
    // A 503 with Retry-After is acceptable for a part of the requests.
    thresholds: [...always, 'errors<0.3', 'status.p95<1000'],
  },
  soak: {
    about: 'two hours at a moderate rate: shows leaks',
    ...{ rate: 30, seconds: 7_200 },
    shape: [
      { share: 0.01, from: 0, to: 1 },
      { share: 0.99, from: 1, to: 1 },
    ],
    thresholds: [...always, 'errors<0.001', 'status.p99<100', 'scrape.p99<5000'],
  },
} satisfies Record<string, Profile>

export type ProfileName = keyof typeof profiles

export const stagesOf = (name: ProfileName, rate: number, seconds: number): Stage[] =>
  profiles[name].shape.map(({ share, from, to }) => ({
    seconds: share * seconds,
    from: from * rate,
    to: to * rate,
  }))
