// Finds possible secrets in source text: keys of known formats, and values of names like `password`.
import { sensitivityOf } from '../../lib/secrets/sensitive-names.ts'

interface FoundSecret {
  line: number
  what: string
}

const makes: Array<[RegExp, string]> = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----/, 'a private key'],
  [/\b(AKIA|ASIA)[0-9A-Z]{16}\b/, 'an AWS access key'],
  [/\bgh[pousr]_[A-Za-z0-9]{30,}/, 'a GitHub token'],
  [/\bxox[abprs]-[A-Za-z0-9-]{10,}/, 'a Slack token'],
  [/\bsk[-_](live[-_]|proj-)?[A-Za-z0-9]{20,}/, 'a secret key'],
  [/\bAIza[0-9A-Za-z_-]{35}/, 'a Google API key'],
  [/\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\./, 'a JSON Web Token'],
  [/\b(Bearer|Basic) [A-Za-z0-9+/_.=-]{12,}/, 'an Authorization value'],
  [/\w+:\/\/[^\s/:@'"`]+:[^\s/@'"`$]+@/, 'a password in a URL'],
]

/** Returns the line (from 1) and the kind of each possible secret, never its value. */
export function findSecrets(source: string): FoundSecret[] {
  return source.split('\n').flatMap((text, index) => secretsIn(text).map(what => ({ line: index + 1, what })))
}

function secretsIn(text: string): string[] {
  const known = makes.filter(([pattern]) => pattern.test(text)).map(([, what]) => what)
  return known.length > 0 ? known : assigned(text)
}

/** Finds assignments such as `apiKey: '…'`, `password = "…"`, `'X-Api-Key': '…'`. The value must have letters and digits,
 *  because selectors and names seldom have both. */
function assigned(text: string): string[] {
  const values = text.matchAll(/['"]?([\w-]{2,40})['"]?\s*[:=]\s*(['"`])([^'"`\s]{8,})\2/g)
  return [...values]
    .filter(
      ([, name, , value]) =>
        value!.length >= leastLength(name!) && /\d/.test(value!) && /[A-Za-z]/.test(value!),
    )
    .map(([, name]) => `a value for "${name}"`)
}

/** Shortest value that counts as a secret. Names such as `key` have many meanings, so their values must be longer. */
const leastLength = (name: string): number =>
  ({ strong: 8, weak: 20, none: Number.POSITIVE_INFINITY })[sensitivityOf(name) ?? 'none']
