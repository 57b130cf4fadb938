// Calls between processes over Redis: one list of calls per service, one list of answers per process, and pub/sub for broadcasts.
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { RedisClientType } from 'redis'
import { asFailure, Failure, type FailureJson } from '../../model/failures.ts'
import type { Calls, CallTimeout } from '../../ports/calls.ts'
import { askRedis, type ConnectOptions, closeRedis, connectRedis } from './connection.ts'

interface RedisCallsOptions extends ConnectOptions {
  url: string
  /** Prefix of every key. */
  prefix: string
  /** Interval of heartbeats for calls in progress, in milliseconds. */
  heartbeatEveryMs?: number
  /** A call that takes longer than this counts as hung. */
  longestAnswerMs?: number
}

/** A call without a heartbeat for this time is sent again: Redis may have lost it, or its receiver may have died. */
const askAgainMs = 5_000
/** The wait of `askAgainMs` is divided into this many slices. With the default interval, a heartbeat arrives in every second
 *  or third slice. */
const slices = 8
const usualSignsMs = 1_500
/** Longer than a robots.txt fetch, which may take two minutes. */
const usualLongestAnswerMs = 150_000
/** Longest blocking read in seconds. Reads are short, so that a stop is noticed. */
const blockSeconds = '1'
/** A blocking read lasts one second. If it has no answer by this time, Redis is down. */
const longestReadMs = 1_500
const mostAtOnce = '256'
const restMs = 200
/** Seconds after which answers that no process has read are deleted. */
const answersExpireS = 60

interface Question {
  body: unknown
  /** The process that gets the answer; absent if the caller wants none. */
  from?: string
  id?: string
  /** Whether the caller wants heartbeats. */
  wantsSigns?: true
}

interface AnswerMessage {
  id: string
  value?: unknown
  failure?: FailureJson
}

/** A heartbeat: the receiver is alive and works on these calls. */
interface Signs {
  underWay: string[]
}

interface Asked {
  answer: PromiseWithResolvers<unknown>
  /** Whether a heartbeat arrived since the last check. */
  isHeard: boolean
}

/** A call that this process is answering. */
interface UnderWay {
  id: string
  /** The process that wants heartbeats; null if none does. */
  from: string | null
  since: number
  /** Aborted when the service that answers the call stops. */
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
  /** Calls in progress by id. The same call may arrive again meanwhile and is then ignored. */
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
    { withinMs, late, signal, againMs = askAgainMs }: CallTimeout,
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

  /** Removes the call, so that a receiver that starts later does not work for a caller that is gone. */
  async #withdraw(service: string, question: Question): Promise<void> {
    await this.#commands.lRem(this.#key('calls', service), 0, JSON.stringify(question)).catch(() => {})
  }

  /** Repeats the call when no heartbeat arrived for some time. After an outage of Redis, the receiver first gets time to send
   *  one. */
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

  /** Sends the call again, unless it is still in the list. */
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

  /** Starts the heartbeats. Does nothing after the close: the last read may still return a call, and its heartbeats would never
   *  stop. */
  #startSigns(): void {
    if (this.#closed.signal.aborted) return
    const everyMs = this.#options.heartbeatEveryMs ?? usualSignsMs
    this.#signs ??= setInterval(() => this.#sendHeartbeats(), everyMs).unref()
  }

  /** Whether the call may still be answered. If not, the process sends no more heartbeats for the call and accepts the same
   *  call again. */
  #isAlive({ since, over }: UnderWay): boolean {
    return !over.aborted && Date.now() - since < (this.#options.longestAnswerMs ?? usualLongestAnswerMs)
  }

  #sendHeartbeats(): void {
    const alive = this.#answering.values().filter(one => this.#isAlive(one))
    for (const [from, own] of Map.groupBy(alive, one => one.from))
      if (from !== null) void this.#say(from, { underWay: own.map(({ id }) => id) })
  }

  /** Sends an answer or a heartbeat. If it is lost, the caller repeats the call. */
  async #say(to: string, message: AnswerMessage | Signs): Promise<void> {
    const key = this.#key('answers', to)
    const answers = await this.#commands.rPush(key, JSON.stringify(message)).catch(() => 0)
    // The caller reads all answers of its list. A new list may belong to a caller that is gone, so it expires.
    if (answers === 1) await this.#commands.expire(key, answersExpireS).catch(() => {})
  }

  async forget(service: string): Promise<void> {
    await askRedis(() => this.#commands.del(this.#key('calls', service)))
  }

  async announce(event: unknown): Promise<void> {
    await askRedis(() => this.#commands.publish(this.#key('news'), JSON.stringify(event)))
  }

  async listen(listener: (event: never) => void): Promise<() => void> {
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

  /** Reads a list on its own connection, because it blocks most of the time. */
  async #read(key: string, over: AbortSignal, take: (text: string) => void): Promise<void> {
    let client: RedisClientType | null = null
    let leaving: NodeJS.Timeout | undefined
    // A late result is still used, because Redis has already removed it from the list.
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

/** Subscribes when Redis is available. After the first time, the client resubscribes by itself. */
async function subscribeOnceReady(client: RedisClientType, subscribe: () => Promise<void>): Promise<void> {
  const later = () => void subscribe().catch(() => client.once('ready', later))
  await subscribe().catch(() => client.once('ready', later))
}

/** Resolves after `ms` milliseconds without a heartbeat. Waits in `slices` parts, so that a suspension of this process counts as
 *  one part only. */
async function silence(asked: Asked, ms: number, until: AbortSignal): Promise<void> {
  for (let silent = 0; silent < slices && !until.aborted; silent = asked.isHeard ? 0 : silent + 1) {
    asked.isHeard = false
    await wait(ms / slices, undefined, { signal: until }).catch(() => {})
  }
}
