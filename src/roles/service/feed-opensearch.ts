// Sends records to OpenSearch, if it is configured.
import { openSearchSink } from '../../adapters/opensearch/sink.ts'
import type { Settings } from '../../config/settings.ts'
import { systemClock } from '../../lib/clocks.ts'
import { decodePercent } from '../../lib/text/percent-encoding.ts'
import { Failure } from '../../model/failures.ts'
import { type FeedEvent, feedSink, resendDead } from '../../pipeline/coordinate/outputs/feed-sink.ts'
import type { RecordSink } from '../../ports/record-sink.ts'
import type { Store } from '../../ports/store.ts'
import type { Log } from '../../server/parts.ts'
import { openHttpTo } from './own-http.ts'

export const openSearchName = 'opensearch'

type SinkSettings = Settings & { opensearchUrl: string }

const hasSink = (settings: Settings): settings is SinkSettings => settings.opensearchUrl !== undefined

/** The operator configured the target, so a private address is allowed. */
function openSink(settings: SinkSettings): { sink: RecordSink } & AsyncDisposable {
  const { opensearchUrl, opensearchIndex } = settings
  const http = openHttpTo(settings, opensearchUrl)
  const url = withoutUser(opensearchUrl)
  const authorization = authorizationOf(settings)
  return {
    sink: openSearchSink({ fetch: http.fetch, url, index: opensearchIndex, authorization }),
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  }
}

function withoutUser(text: string): string {
  const url = new URL(text)
  url.username = ''
  url.password = ''
  return url.href
}

export function authorizationOf({
  opensearchUrl,
  opensearchApiKey,
  opensearchUser,
  opensearchPassword,
}: SinkSettings): string | null {
  if (opensearchApiKey) return `ApiKey ${opensearchApiKey}`
  const { username, password } = new URL(opensearchUrl)
  const user = opensearchUser ?? decodePercent(username)
  if (user === '') return null
  const secret = opensearchPassword ?? decodePercent(password)
  return `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`
}

/** A service loop; runs until the signal is aborted. */
export async function feedOpenSearch(
  { store, settings, log }: { store: Store; settings: Settings; log: Log },
  stopping: AbortSignal,
): Promise<void> {
  if (!hasSink(settings)) return
  await using opened = openSink(settings)
  await feedSink(
    {
      name: openSearchName,
      sinks: store.sinks,
      sink: opened.sink,
      clock: systemClock,
      random: Math.random,
      batch: settings.opensearchBatch,
      tell: logOnce(log),
    },
    stopping,
  )
}

/** Logs a problem when it starts or changes, not with every attempt. */
function logOnce(log: Log): (event: FeedEvent) => void {
  let trouble = ''
  return event => {
    if (event.is === 'sent') {
      if (trouble !== '') log.info({}, 'OpenSearch accepts records again')
      trouble = ''
      if (event.dead > 0)
        log.error(
          { records: event.dead },
          'OpenSearch rejected some records; `kscrape sinks dead-letters` shows why',
        )
      return
    }
    if (event.failure.message === trouble) return
    trouble = event.failure.message
    log.warn({ err: event.failure }, 'OpenSearch is unavailable; records wait in the store')
  }
}

/** Resends the records that OpenSearch rejected. */
export async function resendToOpenSearch(
  store: Store,
  settings: Settings,
  signal: AbortSignal,
): Promise<{ taken: number; refused: number; gone: number }> {
  if (!hasSink(settings))
    throw new Failure(
      'input.invalid',
      'SCRAPER_OPENSEARCH_URL is not set; set it to the address of OpenSearch',
    )
  await using opened = openSink(settings)
  const parts = { name: openSearchName, sinks: store.sinks, sink: opened.sink, clock: systemClock }
  return await resendDead(parts, signal)
}
