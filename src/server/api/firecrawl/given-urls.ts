// Sorts the URLs of a request into valid and invalid ones.
import { inTurns } from '../../../lib/polite-work.ts'
import { Failure } from '../../../model/failures.ts'
import { webUrl } from '../../../model/job.ts'
import { parseJobSpec } from '../../../pipeline/submit/submit-job.ts'
import type { Server } from '../../parts.ts'
import { withScheme } from './schemas.ts'

/** Returns the error if the origin may not be fetched; null if it may be fetched. */
type OriginRefusal = (origin: string) => Failure | null | Promise<Failure | null>

/** Remembers the result for each origin, because a batch may have 100,000 URLs of one site. */
export function originRefusals({ parts }: Pick<Server, 'parts'>): OriginRefusal {
  const known = new Map<string, Failure | null>()
  return async origin => {
    const before = known.get(origin)
    if (before !== undefined) return before
    const refusal = await refusalOf(() => parts.engine.check(parseJobSpec({ urls: [`${origin}/`] })))
    known.set(origin, refusal)
    return refusal
  }
}

async function refusalOf(check: () => Promise<void>): Promise<Failure | null> {
  try {
    await check()
    return null
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

/** As in Firecrawl, a URL that may not be fetched counts as invalid. */
export async function sortUrls(
  urls: readonly string[],
  mayIgnore: boolean,
  refusalOfOrigin: OriginRefusal,
): Promise<{ valid: string[]; invalid: string[] }> {
  const valid: string[] = []
  const invalid: string[] = []
  let first: Failure | null = null
  await inTurns(urls, async given => {
    const url = withScheme(given.trim())
    const why = webUrl.safeParse(url).success
      ? await refusalOfOrigin(new URL(url).origin)
      : notAnAddress(given)
    if (why === null) valid.push(url)
    else invalid.push(given)
    first ??= why
  })
  if (first && (valid.length === 0 || !mayIgnore)) throw first
  return { valid, invalid }
}

const notAnAddress = (given: string): Failure =>
  new Failure('input.invalid', `urls: "${given}" is not an http or https URL`, { path: 'urls' })
