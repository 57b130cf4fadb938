// TXT records of a name, as its owner wrote them into DNS.
import { Resolver } from 'node:dns/promises'

/** All TXT records of a name, each joined from its pieces. Empty if there are none; throws if the resolver does not respond. */
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

/** The name does not exist or has no texts: a valid response. */
const noAnswer = new Set(['ENOTFOUND', 'ENODATA', 'NOTFOUND', 'NODATA'])
