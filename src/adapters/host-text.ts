// Whether a text names addresses of a host.
import type { ErasedHost } from '../ports/erasure.ts'

/** Addresses with line breaks between them. */
export const isOfHost = ({ fits }: ErasedHost, urls: string): boolean =>
  urls.split('\n').some(url => {
    const host = URL.parse(url)?.host
    return host !== undefined && fits(host)
  })
