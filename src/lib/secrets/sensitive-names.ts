// Detects by name which headers, query parameters and fields contain secrets.

/** Words that always mean a secret. */
const strong = new Set([
  ...['password', 'passwd', 'passphrase', 'passcode', 'pwd', 'secret', 'token', 'bearer', 'jwt'],
  ...['apikey', 'authorization', 'auth', 'credential', 'credentials', 'csrf', 'xsrf', 'signature'],
])

/** Words that often mean a secret. The value under such a name is removed, but equal text in other places stays. */
const weak = new Set([
  'key',
  'pass',
  'pin',
  'otp',
  'sid',
  'sig',
  'session',
  'sessionid',
  'cookie',
  'cookies',
  'nonce',
])

/** Splits a name into words: `apiKey`, `API-KEY` and `api_key` are the same. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)

const isApiKey = (words: string[]): boolean =>
  words.length > 1 && words.at(-1) === 'key' && words.some(word => keyOwners.has(word))
const keyOwners = new Set(['api', 'access', 'private', 'subscription', 'auth', 'client', 'app', 'account'])

export type Sensitivity = 'strong' | 'weak' | null

export function sensitivityOf(name: string): Sensitivity {
  const words = wordsOf(name)
  if (words.some(word => strong.has(word)) || strong.has(words.join('')) || isApiKey(words)) return 'strong'
  return words.some(word => weak.has(word)) ? 'weak' : null
}

/** Request headers that do not identify a user. The values of all other headers are removed. */
export const harmlessRequestHeaders = new Set([
  ...['accept', 'accept-language', 'content-type', 'origin', 'referer', 'user-agent', 'x-requested-with'],
])
