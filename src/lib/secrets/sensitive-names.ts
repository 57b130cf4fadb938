// Detects headers, query parameters and fields with secrets by their names.

/** Words that always mean a secret. */
const strong = new Set([
  ...['password', 'passwd', 'passphrase', 'passcode', 'pwd', 'secret', 'token', 'bearer', 'jwt'],
  ...['apikey', 'authorization', 'auth', 'credential', 'credentials', 'csrf', 'xsrf', 'signature'],
])

/** Words that often mean a secret: the value is removed, but equal text elsewhere is not. */
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

/** `apiKey`, `API-KEY` and `api_key` are one name. */
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

/** Request headers without identity; the values of all others are removed. */
export const harmlessRequestHeaders = new Set([
  ...['accept', 'accept-language', 'content-type', 'origin', 'referer', 'user-agent', 'x-requested-with'],
])
