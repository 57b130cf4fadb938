// Answers requests from a recording instead of the web. Unrecorded requests fail with their URL.
import { didYouMean } from '../../lib/text/suggest.ts'
import { Failure } from '../../model/failures.ts'
import type { Page } from '../../model/page/page.ts'
import type { Fetch } from '../../ports/fetch.ts'
import type { WarcRequest } from '../../results/warc.ts'
import type { WarcExchange } from '../../results/warc-exchanges.ts'
import { recordedRequest } from './recorder.ts'

/** Returns responses to repeated requests in their recorded order. The last response repeats. */
export function replaying(exchanges: readonly WarcExchange[], name: string): Fetch {
  const waiting = Map.groupBy(exchanges, ({ request }) => keyOf(request))
  return async asked => {
    const request = recordedRequest(asked)
    const answers = waiting.get(keyOf(request))
    if (!answers) throw unrecorded(request, [...waiting.keys()], name)
    const { page } = answers.length > 1 ? answers.shift()! : answers[0]!
    return { ...page, url: asked.url }
  }
}

export const keyOf = ({ method, url, bodyDigest }: WarcRequest): string =>
  bodyDigest === null ? `${method} ${url}` : `${method} ${url} with body ${bodyDigest.slice(0, 15)}`

function unrecorded(request: WarcRequest, known: string[], name: string): Failure {
  const asked = keyOf(request)
  const nearest = didYouMean(asked, known) || `, which has ${known.slice(0, 3).join(', ') || 'nothing'}`
  return new Failure(
    'replay.unrecorded',
    `${asked} is not in ${name}${nearest}; record the run again if the scraper now requests it`,
    { method: request.method, url: request.url },
  )
}

/** Answers the first request, and later requests for the same URL, with this page. */
export function answeringAll(page: Page, name: string): Fetch {
  let first: string | null = null
  return async asked => {
    const asking = keyOf(recordedRequest(asked))
    first ??= asking
    if (asking === first) return { ...page, url: asked.url, finalUrl: asked.url }
    throw new Failure(
      'replay.unrecorded',
      `${asking} is not in ${name}, which only has the response to ${first}; a scraper with several requests needs a recording`,
      { url: asked.url },
    )
  }
}
