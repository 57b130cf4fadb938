// Why a field has no value: what the rules hand around instead of one.

export class Missing {
  readonly why: string

  constructor(why: string) {
    this.why = why
  }
}

/** The ordinary case, shared: the field's own note says what was looked for. */
export const nothingFound = new Missing('')
