// Several scraper ids in one text. A job whose rows name different scrapers has all of their ids.

/** The separator. It does not occur in a scraper id. */
const between = '+'

/** `article+page` means that each row names one of these two scrapers. */
export const joinedId = (ids: readonly string[]): string => ids.join(between)

export const idsIn = (joined: string): string[] => joined.split(between)
