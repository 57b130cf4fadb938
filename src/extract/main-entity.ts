// The main entity of a page, among all things that its structured data describes.
import type { Thing } from '../model/page/thing.ts'

/** Types that are never the main entity, such as breadcrumbs, offers, ratings and images. */
const beside =
  /^(?:breadcrumblist|listitem|itemlist|website|searchaction|.*action|imageobject|offer|aggregateoffer|.*rating|review|brand|postaladdress|contactpoint|sitenavigationelement|wp\w+|geocoordinates|speakablespecification|entrypoint|propertyvalue\w*|quantitativevalue|monetaryamount|unitpricespecification|pricespecification|nutritioninformation|howtostep|howtosection|comment|language|country|openinghoursspecification)$/i
/** Types of publishers. They are the main entity only if the page describes nothing else. */
const makers = /^(?:\w*organization|corporation|person|localbusiness|\w*store)$/i
const pages = /^(?:\w*page)$/i

/** This many things of one type are a list, so none of them is the main entity. */
const listLength = 3

/** Null if the page describes nothing, or only a list of things of equal rank. */
export function mainEntity<Described extends Pick<Thing, 'type'>>(
  things: readonly Described[],
): Described | null {
  const subjects = things.filter(({ type }) => !beside.test(type))
  const own = subjects.filter(({ type }) => !makers.test(type) && !pages.test(type))
  const [first] = own
  if (first) return own.filter(({ type }) => type === first.type).length >= listLength ? null : first
  return subjects.find(({ type }) => makers.test(type)) ?? subjects[0] ?? null
}

/** The things of the most frequent type, if they form a list. */
export function listedThings(things: readonly Thing[]): Thing[] {
  const byType = Map.groupBy(
    things.filter(({ type }) => !beside.test(type) && !makers.test(type) && !pages.test(type)),
    ({ type }) => type,
  )
  const longest = [...byType.values()].sort((first, second) => second.length - first.length)[0] ?? []
  return longest.length >= listLength ? longest : []
}

export const isBeside = (type: string): boolean => beside.test(type) || makers.test(type)

/** Properties that parts of a thing often have too, such as `name`. They are read only from the thing itself, never
 *  from its parts. */
export const isOwnOnly = (name: string): boolean => ownOnly.has(name.toLowerCase())
const ownOnly = new Set(['name', 'title', 'url', 'description', 'image', 'id', '@id', '@type', 'text'])
