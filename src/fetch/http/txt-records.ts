// TXT records of a name, as its owner wrote them into DNS.
import { Resolver } from 'node:dns/promises'

/** All texts of a name, each put together from its pieces. A name without any gives none; a resolver that does not answer throws. */
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

/** There is no such name, or it has no texts: that is an answer. */
const noAnswer = new Set(['ENOTFOUND', 'ENODATA', 'NOTFOUND', 'NODATA'])
