// A thing that a page describes in JSON-LD, microdata or RDFa.
import type { Json } from '../record.ts'

export interface Thing {
  /** The schema.org type as written, without its vocabulary: `JobPosting`. If there are several types, the first one. */
  type: string
  /** All types, including `type`. */
  types: string[]
  from: 'jsonld' | 'microdata' | 'rdfa'
  /** Values by property name: a single value, or a list; nested things are objects with `@type`. */
  properties: { [property: string]: Json }
}

/** Whether the thing has that type. Ignores letter case and the vocabulary prefix. */
export function isOfType(thing: Thing, type: string): boolean {
  const wanted = localName(type).toLowerCase()
  return thing.types.some(own => own.toLowerCase() === wanted)
}

/** Removes the vocabulary: `https://schema.org/Product` and `schema:Product` become `Product`. */
export const localName = (name: string): string =>
  name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf(':'), name.lastIndexOf('#')) + 1)
