// Optional fields of an object: unset ones are left out.

type Defined<Fields> = { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> }

/** The fields that are not undefined. */
export const defined = <Fields extends object>(fields: Fields): Defined<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>
