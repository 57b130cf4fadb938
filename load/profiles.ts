// What is tried: how the rate goes over time, and what has to hold. docs/load-testing.md says what each is for.
import type { Stage } from './arrivals.ts'

interface Profile {
  about: string
  /** Arrivals a second at its height. */
  rate: number
  seconds: number
  /** Shares of the time and of the height. */
  shape: Array<{ share: number; from: number; to: number }>
  thresholds: string[]
}

/** What has to hold whatever is tried: nothing that was accepted may be lost, and whoever measures must keep up. */
const always = ['lost<1', 'dropped<1']

export const profiles = {
  smoke: {
    about: 'does it work at all: a few requests a second for ten seconds',
    ...{ rate: 5, seconds: 10 },
    shape: [{ share: 1, from: 1, to: 1 }],
    thresholds: [...always, 'errors<0.01', 'p99<2000'],
  },
  steady: {
    about: 'a usual day: half a minute to get there, then level for four and a half',
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
    about: 'ten times as much for half a minute, and whether it recovers',
    ...{ rate: 200, seconds: 150 },
    shape: [
      { share: 0.2, from: 0.1, to: 0.1 },
      { share: 0.07, from: 0.1, to: 1 },
      { share: 0.2, from: 1, to: 1 },
      { share: 0.07, from: 1, to: 0.1 },
      { share: 0.46, from: 0.1, to: 0.1 },
    ],
    // Being told to come back later is an answer, as long as it is not to everyone.
    thresholds: [...always, 'errors<0.3', 'status.p95<1000'],
  },
  soak: {
    about: 'two hours at a moderate rate: what grows, and should not',
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
