// The reason for a missing value, passed around instead of one.

export class Missing {
  readonly why: string

  constructor(why: string) {
    this.why = why
  }
}

/** The common case, shared: the field's note says what was searched. */
export const nothingFound = new Missing('')
