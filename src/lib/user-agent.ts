// Our user agent: a product token for robots.txt, and a contact of the operator.

export const version = '0.1.0'

/** The product page; operators of larger crawls should set their own contact. */
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
