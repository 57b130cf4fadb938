// Decodes and encodes text in the encodings of the Encoding Standard. Node decodes Unicode. The package for the other encodings
// has large tables, so it is loaded on its first use.
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** Throws for the encoding `replacement`. Invalid bytes become U+FFFD. */
export function decodeBytes(bytes: Buffer, encoding: string): string {
  const { TextDecoder } = encoding.startsWith('UTF-') ? globalThis : tables()
  return new TextDecoder(encoding).decode(bytes)
}

/** Percent-encodes the characters of a query that are not ASCII. */
export function percentEncodeIn(encoding: string, query: string): string {
  tables()
  const whatwg = require('@exodus/bytes/whatwg.js') as typeof import('@exodus/bytes/whatwg.js')
  return whatwg.percentEncodeAfterEncoding(encoding, query, '')
}

const tables = () => require('@exodus/bytes/encoding.js') as typeof import('@exodus/bytes/encoding.js')
