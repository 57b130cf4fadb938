// Scraper ids, one or several: if each row names its own, the job has all of them.

/** Does not occur in a scraper id. */
const between = '+'

/** `article+page` is the scraper of rows that are for one of the two. */
export const joinedId = (ids: readonly string[]): string => ids.join(between)

export const idsIn = (joined: string): string[] => joined.split(between)
