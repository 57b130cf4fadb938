// The requirements of all seeds. Each seed has a file of its own, `requirements-NNN.ts`, which exports `seed` (see requirement.ts).
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Requirement, SeedRequirements } from './requirement.ts'

const folder = import.meta.dirname
const files = readdirSync(folder)
  .filter(name => /^requirements-\d{3}\.ts$/.test(name))
  .toSorted()

export const seeds: readonly SeedRequirements[] = await Promise.all(
  files.map(async name => ((await import(join(folder, name))) as { seed: SeedRequirements }).seed),
)
export const requirements: readonly Requirement[] = seeds.flatMap(seed => seed.requirements)
