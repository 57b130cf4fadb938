// Helpers for the properties of identities: versions, systems, time zones and randomness.
import fc from 'fast-check'

export const anyVersion = fc
  .tuple(
    fc.integer({ min: 110, max: 300 }),
    fc.integer({ min: 1_000, max: 20_000 }),
    fc.integer({ min: 0, max: 300 }),
  )
  .map(([major, build, patch]) => `${major}.0.${build}.${patch}`)

export const anySystem = fc.constantFrom('linux' as const, 'windows' as const, 'macos' as const)

/** A random source. Sometimes it always returns the same number. */
export const anyRandom = fc.oneof(
  fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }).map(value => () => value),
  fc.constant(Math.random),
)

/** The current name of a time zone. ICU still lists some zones under older names. */
export const zoneName = (timeZone: string): string =>
  new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone
