// The pages that two crawlers found on one site, compared.

export interface Seen {
  /** HTML pages and other texts with status 200. */
  pages: Set<string>
  /** Every requested URL, whatever the response. For wget: the pages and the URLs that answered 404. */
  asked: Set<string>
}

/** Parses the log of `wget -nv`: one line per file, two lines per failure. Resources that were found are omitted. */
export function readWgetLog(log: string): Seen {
  const fetched = [...log.matchAll(/ URL:(\S+) \[[^\]]*\] -> "([^"]+)"/g)]
  const pages = fetched.filter(([, , file]) => /\.html?$/.test(file!)).map(([, url]) => url!)
  const broken = [...log.matchAll(/^(http:\S+):\n.* ERROR 404/gm)].map(([, url]) => url!)
  return { pages: new Set(pages), asked: new Set([...pages, ...broken]) }
}

/** Requests that tell nothing about links: robots.txt, and resources of pages. */
const isRequisite = (url: string): boolean => /\/robots\.txt$|\.(?:js|css|png|gif|svg|ico|jpe?g)$/.test(url)

/** `missed` are pages that we never requested. Pages that we requested and then skipped as duplicates are not missed. */
export function compareSites(ours: Seen, theirs: Seen) {
  const missed = [...theirs.pages].filter(url => !ours.asked.has(url))
  const more = [...ours.pages].filter(url => !theirs.pages.has(url))
  const broken = [...theirs.asked].filter(url => !theirs.pages.has(url) && !isRequisite(url))
  return { missed, more, brokenMissed: broken.filter(url => !ours.asked.has(url)) }
}
