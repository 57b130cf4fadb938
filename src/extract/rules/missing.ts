// Stands for a missing value and contains the reason.

export class Missing {
  readonly why: string

  constructor(why: string) {
    this.why = why
  }
}

/** The shared object if nothing was found. The field's provenance says what was searched. */
export const nothingFound = new Missing('')
