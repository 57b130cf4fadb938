// The thing that a page is about, among all that it describes for programs.
import type { Thing } from '../model/page/thing.ts'

/** Types that accompany the subject of a page: its place in the site, its parts, its makers. */
const beside =
  /^(?:breadcrumblist|listitem|itemlist|website|searchaction|.*action|imageobject|offer|aggregateoffer|.*rating|review|brand|postaladdress|contactpoint|sitenavigationelement|wp\w+|geocoordinates|speakablespecification|entrypoint|propertyvalue\w*|quantitativevalue|monetaryamount|unitpricespecification|pricespecification|nutritioninformation|howtostep|howtosection|comment|language|country|openinghoursspecification)$/i
/** The main entity only if the page describes nothing else. */
const makers = /^(?:\w*organization|corporation|person|localbusiness|\w*store)$/i
const pages = /^(?:\w*page)$/i

/** This many of a type are a list, and none is the main entity. */
const listLength = 3

/** Null if the page describes nothing, or only a list of equals. */
export function mainEntity<Described extends Pick<Thing, 'type'>>(
  things: readonly Described[],
): Described | null {
  const subjects = things.filter(({ type }) => !beside.test(type))
  const own = subjects.filter(({ type }) => !makers.test(type) && !pages.test(type))
  const [first] = own
  if (first) return own.filter(({ type }) => type === first.type).length >= listLength ? null : first
  return subjects.find(({ type }) => makers.test(type)) ?? subjects[0] ?? null
}

/** Things of the type that occurs most often, if it is a list of subjects. */
export function listedThings(things: readonly Thing[]): Thing[] {
  const byType = Map.groupBy(
    things.filter(({ type }) => !beside.test(type) && !makers.test(type) && !pages.test(type)),
    ({ type }) => type,
  )
  const longest = [...byType.values()].sort((first, second) => second.length - first.length)[0] ?? []
  return longest.length >= listLength ? longest : []
}

export const isBeside = (type: string): boolean => beside.test(type) || makers.test(type)

/** Names that parts of a thing also have. Only the thing itself may supply them. */
export const isOwnOnly = (name: string): boolean => ownOnly.has(name.toLowerCase())
const ownOnly = new Set(['name', 'title', 'url', 'description', 'image', 'id', '@id', '@type', 'text'])
