// Removes secrets from URLs, bodies and rows, by the names of fields.

import { cutMark } from '../../lib/secrets/secret-forms.ts'
import { type Sensitivity, sensitivityOf } from '../../lib/secrets/sensitive-names.ts'
import { jsonIn } from '../../model/json.ts'

export { cutMark }

/** Called with every removed value, so that the caller can remove it from other places too. */
export type Found = (value: string, how: Exclude<Sensitivity, null>) => void
const ignored: Found = () => {}

/** Removes secrets from query, fragment and user info. The rest of the URL stays unchanged. */
export function cutUrl(url: string, found: Found = ignored): string {
  const at = url.search(/[?#]/)
  const place = at === -1 ? url : url.slice(0, at)
  const rest = at === -1 ? '' : url.slice(at)
  return cutUserInfo(place, found) + rest.replace(/[^?#]+/g, part => cutPairs(part, found))
}

function cutUserInfo(place: string, found: Found): string {
  return place.replace(/^(\w+:\/\/)([^/@]*)@/, (_, scheme: string, info: string) => {
    found(decoded(info.slice(info.indexOf(':') + 1)), 'strong')
    return scheme
  })
}

/** Removes secrets from `a=1&token=x`, as in queries and forms. */
function cutPairs(text: string, found: Found = ignored): string {
  return text.replace(/([^&=]+)=([^&]*)/g, (pair, name: string, value: string) => {
    const how = sensitivityOf(decoded(name))
    if (how === null || value === '' || value === cutMark) return pair
    found(decoded(value), how)
    return `${name}=${cutMark}`
  })
}

/** Decodes a name. In forms, a plus means a space. Invalid percent-encoding stays unchanged. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

/** Removes the values of sensitive keys, at any depth. */
export function cutJson(value: unknown, found: Found = ignored): unknown {
  if (Array.isArray(value)) return value.map(entry => cutJson(entry, found))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, cutField(key, entry, found)]))
}

function cutField(key: string, value: unknown, found: Found): unknown {
  const how = sensitivityOf(key)
  if (how === null || value === null || typeof value === 'object' || typeof value === 'boolean')
    return cutJson(value, found)
  if (value !== cutMark) found(String(value), how)
  return cutMark
}

/** Removes secrets from the body of a request. Forms and JSON are parsed; other bodies stay unchanged. */
export function cutSentBody(body: string, found: Found = ignored): string {
  const json = /^\s*[[{]/.test(body) ? jsonIn(body) : undefined
  if (json !== undefined) return JSON.stringify(cutJson(json, found))
  return /^[^\s=&]+=[^\s]*$/.test(body) ? cutPairs(body, found) : body
}

/** Removes secrets from URLs in a page, such as `href="/file?token=…"`. Ampersands may be escaped. */
export const cutLinks = (text: string, found: Found = ignored): string =>
  text.replace(
    /([?&]|&amp;)([\w.~%[\]-]{1,64})=([^&"'<>\s#\\)]+)/g,
    (all, before: string, name: string, value: string) => {
      const how = sensitivityOf(decoded(name))
      if (how === null || value === cutMark) return all
      found(decoded(value), how)
      return `${before}${name}=${cutMark}`
    },
  )
