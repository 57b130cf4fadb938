// Looks up the TXT records of a name in DNS. Site owners use them to prove ownership.
import { Resolver } from 'node:dns/promises'

/** All TXT records of a name, each joined from its pieces. Empty if there are none. Rejects if the resolver does not
 *  respond. */
export type LookUpTexts = (name: string) => Promise<string[]>

const timeoutMs = 3_000

export const lookUpTexts: LookUpTexts = async name => {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 })
  try {
    return (await resolver.resolveTxt(name)).map(pieces => pieces.join(''))
  } catch (error) {
    if (noAnswer.has(String((error as NodeJS.ErrnoException).code))) return []
    throw error
  }
}

/** Errors that mean that the name does not exist or has no TXT records. This is a valid result. */
const noAnswer = new Set(['ENOTFOUND', 'ENODATA', 'NOTFOUND', 'NODATA'])
