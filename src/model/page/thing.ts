// A thing a page describes for programs, in whichever of the three ways it does.
import type { Json } from '../record.ts'

export interface Thing {
  /** The schema.org type as written, without its vocabulary: `JobPosting`. The first, when it has several. */
  type: string
  /** All its types, the first included. */
  types: string[]
  from: 'jsonld' | 'microdata' | 'rdfa'
  /** Values by property name: one as it is, several as a list; a thing inside is an object with an `@type`. */
  properties: { [property: string]: Json }
}

/** Whether it is of that type; upper and lower case, and a vocabulary before the name, make no difference. */
export function isOfType(thing: Thing, type: string): boolean {
  const wanted = localName(type).toLowerCase()
  return thing.types.some(own => own.toLowerCase() === wanted)
}

/** `Product` of `https://schema.org/Product` and `schema:Product`. */
export const localName = (name: string): string =>
  name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf(':'), name.lastIndexOf('#')) + 1)
