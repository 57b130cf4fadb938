// Calls between processes over Redis: a list per service, a list of responses per process, and pub/sub.
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { RedisClientType } from 'redis'
import { asFailure, Failure, type FailureJson } from '../../model/failures.ts'
import type { Calls, Patience } from '../../ports/calls.ts'
import { askRedis, type ConnectOptions, closeRedis, connectRedis } from './connection.ts'

interface RedisCallsOptions extends ConnectOptions {
  url: string
  /** Before every key. */
  prefix: string
  /** Interval of heartbeats for calls in progress. */
  heartbeatEveryMs?: number
  /** No call takes longer: an older one hangs. */
  longestAnswerMs?: number
}

/** A call without a heartbeat for this long is sent again: Redis or its receiver may be gone. */
const askAgainMs = 5_000
/** Slices of that time. A heartbeat comes in every other one. */
const slices = 8
const usualSignsMs = 1_500
/** More than the two minutes of a robots.txt fetch. */
const usualLongestAnswerMs = 150_000
/** Reads in slices, so that a stop is noticed. */
const blockSeconds = '1'
/** A read of one second without a response by then means that Redis is away. */
const longestReadMs = 1_500
const mostAtOnce = '256'
const restMs = 200
/** Responses that were not fetched. */
const answersExpireS = 60

interface Question {
  body: unknown
  /** Where the response goes, if one is wanted. */
  from?: string
  id?: string
  /** The caller wants heartbeats. */
  wantsSigns?: true
}

interface AnswerMessage {
  id: string
  value?: unknown
  failure?: FailureJson
}

/** A heartbeat: no responses yet, but the receiver is alive. */
interface Signs {
  underWay: string[]
}

interface Asked {
  answer: PromiseWithResolvers<unknown>
  /** Since the last check. */
  isHeard: boolean
}

/** A call in progress. */
interface UnderWay {
  id: string
  /** The process that wants heartbeats. */
  from: string | null
  since: number
  /** Aborted when its service stops. */
  over: AbortSignal
}

export async function openRedisCalls(options: RedisCallsOptions): Promise<Calls> {
  return new RedisCalls(await connectRedis(options.url, options), options)
}

class RedisCalls implements Calls {
  readonly #commands: RedisClientType
  readonly #options: RedisCallsOptions
  readonly #name = randomUUID()
  readonly #closed = new AbortController()
  readonly #asked = new Map<string, Asked>()
  /** By id: the same call may arrive again meanwhile. */
  readonly #answering = new Map<string, UnderWay>()
  #signs: NodeJS.Timeout | undefined
  readonly #loops: Promise<void>[] = []
  #listensForAnswers = false

  constructor(commands: RedisClientType, options: RedisCallsOptions) {
    this.#commands = commands
    this.#options = options
  }

  async ask<Answer>(
    service: string,
    question: unknown,
    { withinMs, late, signal, againMs = askAgainMs }: Patience,
  ): Promise<Answer> {
    signal?.throwIfAborted()
    this.#listenForAnswers()
    const id = randomUUID()
    const answer = Promise.withResolvers<unknown>()
    const asked = { answer, isHeard: false }
    this.#asked.set(id, asked)
    const message = { id, from: this.#name, wantsSigns: true as const, body: question }
    const over = new AbortController()
    const giveUp = (failure: Failure) => {
      over.abort()
      answer.reject(failure)
      void this.#withdraw(service, message)
    }
    const onAbort = () => giveUp(asFailure(signal!.reason))
    signal?.addEventListener('abort', onAbort)
    const deadline = setTimeout(() => giveUp(new Failure('queue.unavailable', late)), withinMs).unref()
    try {
      void this.#repeat(service, message, { asked, againMs, until: over.signal })
      return (await answer.promise) as Answer
    } finally {
      over.abort()
      clearTimeout(deadline)
      signal?.removeEventListener('abort', onAbort)
      this.#asked.delete(id)
    }
  }

  /** A process that starts later must not work for a caller that is gone. */
  async #withdraw(service: string, question: Question): Promise<void> {
    await this.#commands.lRem(this.#key('calls', service), 0, JSON.stringify(question)).catch(() => {})
  }

  /** While Redis is away no heartbeat arrives; afterwards the receiver gets time for one. */
  async #repeat(
    service: string,
    question: Question,
    { asked, againMs, until }: { asked: Asked; againMs: number; until: AbortSignal },
  ): Promise<void> {
    for (let isOut = false; !until.aborted; ) {
      const sending: Promise<void> = isOut
        ? this.#pushIfGone(service, question)
        : this.#push(service, question)
      isOut = await sending.then(
        () => true,
        () => isOut,
      )
      if (until.aborted) return this.#withdraw(service, question)
      await silence(asked, isOut ? againMs : restMs, until)
    }
  }

  /** A call that is still in the list needs no repeat. */
  async #pushIfGone(service: string, question: Question): Promise<void> {
    const key = this.#key('calls', service)
    const place = await askRedis(() => this.#commands.lPos(key, JSON.stringify(question)))
    if (place === null) await this.#push(service, question)
  }

  tell(service: string, message: unknown): Promise<void> {
    return this.#push(service, { body: message })
  }

  async #push(service: string, question: Question): Promise<void> {
    await askRedis(() => this.#commands.rPush(this.#key('calls', service), JSON.stringify(question)))
  }

  async serve(
    service: string,
    answer: (question: never) => Promise<unknown>,
    signal: AbortSignal,
  ): Promise<void> {
    const over = AbortSignal.any([signal, this.#closed.signal])
    await this.#read(this.#key('calls', service), over, text =>
      this.#answer(JSON.parse(text) as Question, answer, over),
    )
  }

  #answer(
    { id, from, body, wantsSigns }: Question,
    answer: (question: never) => Promise<unknown>,
    over: AbortSignal,
  ): void {
    if (id === undefined || from === undefined) return void answer(body as never).catch(() => {})
    const earlier = this.#answering.get(id)
    if (earlier && this.#isAlive(earlier)) return
    const underWay = { id, from: wantsSigns ? from : null, since: Date.now(), over }
    this.#answering.set(id, underWay)
    this.#startSigns()
    const said = answer(body as never).then(
      value => ({ id, value }),
      error => ({ id, failure: asFailure(error).toJSON() }),
    )
    void said
      .then(message => this.#say(from, message))
      .finally(() => this.#answering.get(id) === underWay && this.#answering.delete(id))
  }

  /** The last read may return a call after the close. */
  #startSigns(): void {
    if (this.#closed.signal.aborted) return
    const everyMs = this.#options.heartbeatEveryMs ?? usualSignsMs
    this.#signs ??= setInterval(() => this.#sendHeartbeats(), everyMs).unref()
  }

  /** A dead call sends no heartbeats and is accepted again, because its response may never come. */
  #isAlive({ since, over }: UnderWay): boolean {
    return !over.aborted && Date.now() - since < (this.#options.longestAnswerMs ?? usualLongestAnswerMs)
  }

  #sendHeartbeats(): void {
    const alive = this.#answering.values().filter(one => this.#isAlive(one))
    for (const [from, own] of Map.groupBy(alive, one => one.from))
      if (from !== null) void this.#say(from, { underWay: own.map(({ id }) => id) })
  }

  /** If this is lost, the caller repeats the call. */
  async #say(to: string, message: AnswerMessage | Signs): Promise<void> {
    const key = this.#key('answers', to)
    const answers = await this.#commands.rPush(key, JSON.stringify(message)).catch(() => 0)
    // The caller takes them all; a new list may have no reader any more.
    if (answers === 1) await this.#commands.expire(key, answersExpireS).catch(() => {})
  }

  async forget(service: string): Promise<void> {
    await askRedis(() => this.#commands.del(this.#key('calls', service)))
  }

  async announce(news: unknown): Promise<void> {
    await askRedis(() => this.#commands.publish(this.#key('news'), JSON.stringify(news)))
  }

  async listen(listener: (news: never) => void): Promise<() => void> {
    const client = await connectRedis(this.#options.url, this.#options)
    const subscribe = () =>
      askRedis(() => client.subscribe(this.#key('news'), text => listener(JSON.parse(text) as never)))
    if (this.#options.mayBeAway) await subscribeOnceReady(client, subscribe)
    else await subscribe()
    this.#closed.signal.addEventListener('abort', () => client.destroy())
    return () => client.destroy()
  }

  #listenForAnswers(): void {
    if (this.#listensForAnswers) return
    this.#listensForAnswers = true
    const loop = this.#read(this.#key('answers', this.#name), this.#closed.signal, text => {
      const message = JSON.parse(text) as AnswerMessage | Signs
      if ('underWay' in message) this.#hearSigns(message)
      else this.#hearAnswer(message)
    })
    this.#loops.push(loop)
  }

  #hearSigns({ underWay }: Signs): void {
    for (const id of underWay) {
      const asked = this.#asked.get(id)
      if (asked) asked.isHeard = true
    }
  }

  #hearAnswer({ id, value, failure }: AnswerMessage): void {
    if (failure) this.#asked.get(id)?.answer.reject(Failure.from(failure))
    else this.#asked.get(id)?.answer.resolve(value)
  }

  /** On its own connection, because it blocks most of the time. */
  async #read(key: string, over: AbortSignal, take: (text: string) => void): Promise<void> {
    let client: RedisClientType | null = null
    let leaving: NodeJS.Timeout | undefined
    // A late result is still used; it would be lost otherwise.
    const leave = () => {
      leaving = setTimeout(() => client?.destroy(), longestReadMs)
    }
    over.addEventListener('abort', leave, { once: true })
    while (!over.aborted) {
      try {
        client ??= await connectRedis(this.#options.url)
        const texts = await this.#pop(client, key)
        for (const text of texts) take(text)
      } catch {
        await wait(restMs, undefined, { signal: over }).catch(() => {})
      }
    }
    clearTimeout(leaving)
    client?.destroy()
  }

  async #pop(client: RedisClientType, key: string): Promise<string[]> {
    const command = ['BLMPOP', blockSeconds, '1', key, 'LEFT', 'COUNT', mostAtOnce]
    const answer = (await client.sendCommand(command)) as [string, string[]] | null
    return answer?.[1] ?? []
  }

  #key(...parts: string[]): string {
    return `${this.#options.prefix}${parts.join(':')}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort()
    clearInterval(this.#signs)
    await Promise.allSettled(this.#loops)
    await closeRedis(this.#commands)
  }
}

/** After the first time the client resubscribes itself. */
async function subscribeOnceReady(client: RedisClientType, subscribe: () => Promise<void>): Promise<void> {
  const later = () => void subscribe().catch(() => client.once('ready', later))
  await subscribe().catch(() => client.once('ready', later))
}

/** Until there was no heartbeat for that long; time in which this process was suspended counts as one slice. */
async function silence(asked: Asked, ms: number, until: AbortSignal): Promise<void> {
  for (let silent = 0; silent < slices && !until.aborted; silent = asked.isHeard ? 0 : silent + 1) {
    asked.isHeard = false
    await wait(ms / slices, undefined, { signal: until }).catch(() => {})
  }
}
