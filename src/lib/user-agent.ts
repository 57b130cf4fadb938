// Our user agent: a product token for robots.txt, and a contact of the operator.

export const version = '0.1.0'

export function userAgentOf({
  userAgent,
  contact,
  publicUrl,
}: {
  userAgent?: string | undefined
  contact?: string | undefined
  /** URL of a service, which has a page for site owners at `/bot`. */
  publicUrl?: string | undefined
}): string {
  const page = contact ?? (publicUrl && `${publicUrl.replace(/\/+$/, '')}/bot`)
  const name = userAgent ?? `kscrape/${version}`
  // A custom user agent is used unchanged.
  return contact || (page && !userAgent) ? `${name} (+${page})` : name
}
