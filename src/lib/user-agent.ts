// Our user agent: a product token for robots.txt, and a contact of the operator.

export const version = '0.1.0'

export function userAgentOf({
  userAgent,
  contact,
  publicUrl,
}: {
  userAgent?: string | undefined
  contact?: string | undefined
  /** URL of the service. Its page `/bot` informs site owners. */
  publicUrl?: string | undefined
}): string {
  const page = contact ?? (publicUrl && `${publicUrl.replace(/\/+$/, '')}/bot`)
  const name = userAgent ?? `kscrape/${version}`
  // A custom user agent gets only the operator's contact, never the URL of the service.
  return contact || (page && !userAgent) ? `${name} (+${page})` : name
}
