// The form of a seed's requirements: what the seed says, and the test or mapping row that answers it.

export interface Requirement {
  /** The seed's number, like `002`. */
  seed: string
  /** Unique: seed, section and a number, like `002-3.1` or `002-3.1b`. */
  id: string
  /** The requirement in short. */
  says: string
  /** `FILE: TITLE OF THE TEST`, or `mapping ID` for a row of the mapping table in docs/product_design.md. */
  shownBy: string
}

/** One seed: its sections, and at least one requirement for each of them. */
export interface SeedRequirements {
  seed: string
  /** The seed's own numbering, like `3.1`; a section without a requirement fails the test. */
  sections: readonly string[]
  requirements: readonly Requirement[]
}

/** Rows are `[id, says, shownBy]`; the id is given without the seed's number. */
export const requirementsOf = (
  seed: string,
  sections: readonly string[],
  rows: ReadonlyArray<readonly [id: string, says: string, shownBy: string]>,
): SeedRequirements => ({
  seed,
  sections,
  requirements: rows.map(([id, says, shownBy]) => ({ seed, id: `${seed}-${id}`, says, shownBy })),
})

/** `002-3.1b` belongs to section `3.1`. */
export const sectionOf = ({ seed, id }: Requirement): string =>
  id.slice(seed.length + 1).replace(/[a-z]+$/, '')
