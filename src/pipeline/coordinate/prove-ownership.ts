// Proof of ownership of a site: a token in its DNS, or in a file under /.well-known/.
import type { LookUpTexts } from '../../fetch/http/txt-records.ts'
import { asFailure, type Failure } from '../../model/failures.ts'
import type { FetchRequest } from '../../model/page/page.ts'
import type { Fetch } from '../../ports/fetch.ts'

interface OwnershipParts {
  fetch: Fetch
  lookUpTexts: LookUpTexts
}

interface OwnershipVerdict {
  by: 'dns' | 'well-known' | null
  /** One line of text for DNS and for each URL: what was found there. */
  looked: string[]
}

export const proofName = '_kscrape'
export const proofPath = '/.well-known/kscrape-do-not-crawl.txt'
export const proofText = (token: string): string => `kscrape-do-not-crawl=${token}`

/** Looks for the token in DNS and at `/.well-known/`. `host` may have a port; the DNS query ignores it. */
export async function proveOwnership(
  parts: OwnershipParts,
  host: string,
  token: string,
): Promise<OwnershipVerdict> {
  const inDns = await lookInDns(parts, host.replace(/:\d+$/, ''), token)
  if (inDns.isThere) return { by: 'dns', looked: [inDns.words] }
  const looked = [inDns.words]
  for (const scheme of ['https', 'http']) {
    const inFile = await lookInFile(parts, `${scheme}://${host}${proofPath}`, token)
    looked.push(inFile.words)
    if (inFile.isThere) return { by: 'well-known', looked }
  }
  return { by: null, looked }
}

interface Look {
  isThere: boolean
  words: string
}

async function lookInDns({ lookUpTexts }: OwnershipParts, name: string, token: string): Promise<Look> {
  // An IP address has no DNS records.
  if (!/[a-z]/i.test(name) || name.startsWith('['))
    return { isThere: false, words: `${name} has no DNS name` }
  const record = `${proofName}.${name}`
  try {
    const texts = await lookUpTexts(record)
    const isThere = texts.some(text => text.trim() === proofText(token))
    return {
      isThere,
      words: `TXT of ${record}: ${isThere ? 'found' : `not among ${texts.length} texts`}`,
    }
  } catch (error) {
    return { isThere: false, words: `TXT of ${record}: DNS did not answer (${asFailure(error).message})` }
  }
}

const mostBytes = 65_536
const timeouts = { connectMs: 5_000, headersMs: 5_000, idleMs: 5_000, totalMs: 10_000 }

/** Looks for the token in a file. Redirects within the host are followed; a redirect to another host proves nothing. */
async function lookInFile({ fetch }: OwnershipParts, url: string, token: string): Promise<Look> {
  const request: FetchRequest = {
    url,
    timeouts,
    maxBytes: mostBytes,
    beforeHop: async ({ to }) => {
      if (new URL(to).hostname !== new URL(url).hostname)
        throw new Error(`it redirects to ${new URL(to).host}`)
    },
  }
  try {
    const { status, body } = await fetch(request, AbortSignal.timeout(timeouts.totalMs))
    const isThere = status === 200 && body.toString('utf8').split(/\s+/).includes(proofText(token))
    return { isThere, words: `${url}: ${isThere ? 'found' : `HTTP ${status}, without the token`}` }
  } catch (error) {
    return { isThere: false, words: `${url}: ${wordsOf(asFailure(error))}` }
  }
}

const wordsOf = ({ code, message }: Failure): string => (code === 'internal.bug' ? message : code)
