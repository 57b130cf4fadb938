// A thing that a page describes in JSON-LD, microdata or RDFa.
import type { Json } from '../record.ts'

export interface Thing {
  /** The schema.org type as written, without its vocabulary: `JobPosting`. The first, when it has several. */
  type: string
  /** All its types, the first included. */
  types: string[]
  from: 'jsonld' | 'microdata' | 'rdfa'
  /** Values by property name: a single value, or a list; nested things are objects with `@type`. */
  properties: { [property: string]: Json }
}

/** Whether it has that type; ignores letter case and the vocabulary prefix. */
export function isOfType(thing: Thing, type: string): boolean {
  const wanted = localName(type).toLowerCase()
  return thing.types.some(own => own.toLowerCase() === wanted)
}

/** `Product` of `https://schema.org/Product` and `schema:Product`. */
export const localName = (name: string): string =>
  name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf(':'), name.lastIndexOf('#')) + 1)
