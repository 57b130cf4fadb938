// Whether a text speaks of a host.
import type { ErasedHost } from '../ports/erasure.ts'

/** Addresses with line breaks between them. */
export const isOfHost = ({ fits }: ErasedHost, urls: string): boolean =>
  urls.split('\n').some(url => {
    const host = URL.parse(url)?.host
    return host !== undefined && fits(host)
  })

/** Anywhere in words of any kind: `notshop.example` is not `shop.example`. */
export const namesHost = ({ fits }: ErasedHost, words: string): boolean =>
  (words.toLowerCase().match(hostLike) ?? []).some(fits)

const hostLike = /[a-z0-9_-]+(?:\.[a-z0-9_-]+)*(?::\d+)?/g
