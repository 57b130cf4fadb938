// Submits a scrape to the engine: selects the workspace, applies the queue limit, and translates errors to the request's field
// names.
import type { Problem } from '../../../lib/text/problems.ts'
import type { Caller } from '../../../model/access.ts'
import { Failure } from '../../../model/failures.ts'
import type { Job } from '../../../model/job.ts'
import type { FastifyReply, FastifyRequest } from '../../app.ts'
import type { Server } from '../../parts.ts'
import { idempotencyKeyOf, jobAskedBefore, type Submission, type Submitted, submitFor } from '../../submit.ts'
import type { QueueRoom } from './queue-room.ts'
import type { ScrapeBody } from './schemas.ts'
import { type CommonFields, specOf } from './spec.ts'

interface Scrape {
  targets: readonly ScrapeBody[]
  common: CommonFields
  /** Whether the request has a list of targets; the field paths in error messages depend on that. */
  isBatch: boolean
  /** Whether the caller waits for the record. */
  isAwaited?: boolean
  /** Throws if a new scrape is not allowed. Not called for a repeated request. */
  refuse?: () => Promise<void>
}

export class Reception {
  readonly #server: Server
  readonly #room: QueueRoom

  constructor(server: Server, room: QueueRoom) {
    this.#server = server
    this.#room = room
  }

  /** Creates the job of a scrape. A repeated request gets the job that it created before. The job is durable when this resolves. */
  async accept(scrape: Scrape, request: FastifyRequest, reply: FastifyReply): Promise<Job> {
    const asked = { face: 'scrape', idempotencyKey: idempotencyKeyOf(request), asked: request.body } as const
    const before = await jobAskedBefore(this.#server, request.caller, asked)
    const { job, isRepeated } = before
      ? { job: before, isRepeated: true }
      : await this.#submit(scrape, request.caller, asked)
    if (isRepeated) reply.header('idempotent-replayed', 'true')
    return job
  }

  async #submit(scrape: Scrape, caller: Caller, asked: Submission): Promise<Submitted> {
    const { targets, common, isBatch } = scrape
    await scrape.refuse?.()
    await refuseWithoutProxies(this.#server)
    targets.forEach((target, index) => {
      this.#refuseUnknownType(target.targetType, isBatch ? `targets[${index}].target_type` : 'target_type')
    })
    using _held = await this.#room.hold(caller.workspace, targets.length)
    return await submitFor(this.#server, caller, specOf(targets, common, scrape.isAwaited), asked).catch(
      error => {
        throw error instanceof Failure ? inCallersWords(error, isBatch) : error
      },
    )
  }

  #refuseUnknownType(targetType: string, path: string): void {
    const { scrapers } = this.#server.parts
    if (scrapers.ids().includes(targetType)) return
    const message = `${path}: ${unknownWords(() => scrapers.get(targetType))}`
    throw new Failure('input.invalid', message, { path })
  }
}

/** Returns the error message of the scraper registry for an unknown name. It suggests the nearest known name. */
function unknownWords(get: () => unknown): string {
  try {
    get()
    return 'is not a scraper'
  } catch (error) {
    return (error as Error).message
  }
}

/** Replaces the engine's field names (items, webhooks) by those of this API (targets, callbacks). */
export function inCallersWords(failure: Failure, isBatch: boolean): Failure {
  const respelt = (text: string) => spelt(text, isBatch)
  const problems = failure.details.problems as Problem[] | undefined
  const path = failure.details.path ?? problems?.[0]?.path
  const details = {
    ...failure.details,
    ...(typeof path === 'string' && { path: respelt(path) }),
    ...(problems && { problems: problems.map(problem => ({ ...problem, path: respelt(problem.path) })) }),
  }
  return new Failure(failure.code, respelt(failure.message), details, { cause: failure })
}

const spelt = (text: string, isBatch: boolean): string =>
  text
    .replace(/items\[(\d+)\]\.input(?:\.(\w+))?/g, (_, index: string, name?: string) => {
      const target = isBatch ? `targets[${index}].` : ''
      return name === 'url' ? `${target}url` : `${target}options.input${name ? `.${name}` : ''}`
    })
    .replace(/^(?:fields|each)\b/, 'extract.$&')
    .replace(/^(extract|render|rendering|headers|pii)\b/, 'options.$1')
    .replaceAll('options.rendering.', 'options.')
    .replaceAll('webhook_url', 'callback_url')

/** Refuses a scrape at once if none of the operator's proxies is healthy, because its tasks would have to wait. */
export async function refuseWithoutProxies({ parts, settings }: Server): Promise<void> {
  if (settings.proxies.length === 0 && settings.proxiesFile === undefined) return
  const own = (await parts.proxies.list().catch(() => [])).filter(({ source }) => source === 'operator')
  if (own.length === 0 || own.some(({ isHealthy }) => isHealthy)) return
  throw new Failure('proxy.none-healthy', `none of the ${own.length} proxies is healthy`, {
    proxies: own.length,
    retryAfterMs: settings.proxyCheckMs,
  })
}
