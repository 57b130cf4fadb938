// Who we say we are: a product token that robots.txt can name, and where to reach whoever runs this.

export const version = '0.1.0'

/** The product's own page; whoever crawls more than a little should name a contact of their own. */
const defaultContact = 'https://kscrape.example/bot'

export function userAgentOf({
  userAgent,
  contact,
}: {
  userAgent?: string | undefined
  contact?: string | undefined
}): string {
  if (userAgent) return contact ? `${userAgent} (+${contact})` : userAgent
  return `kscrape/${version} (+${contact ?? defaultContact})`
}
