// Ids of scrapers, one or several: where each row of a job names its own, the job's scraper is all of them.

/** Stands in no id of a scraper. */
const between = '+'

/** `article+page` is the scraper of rows that are for one of the two. */
export const joinedId = (ids: readonly string[]): string => ids.join(between)

export const idsIn = (joined: string): string[] => joined.split(between)
