// Faults of the services: Redis loses data, PostgreSQL fails at a bad moment, S3 returns wrong responses.
import type { RedisClientType } from 'redis'
import { group } from '../../src/adapters/redis/consumers.ts'
import { streams } from '../../src/model/cluster-messages.ts'
import { until } from '../support/cluster.ts'
import type { S3Fault } from '../support/services/s3-faults.ts'
import { expect, type Strike } from './fault.ts'
import { hasEnded, type Rig, streamKey, type Work } from './rig.ts'

const workStreams = [streams.http, streams.process].map(streamKey)
const disturbMs = 2_000

export const deliveredTwice: Strike = {
  id: 'F9',
  about: 'messages are delivered five times, or are claimed from their workers',
  ways: ['copied', 'claimed'],
  mostRequests: 6,
  async strike({ rig, way, work }) {
    await whenThereAre(rig, way === 'copied' ? copyAll : claimAll)
    if (way === 'copied') await oncePerWorker(rig, work)
  },
}

/** Waits until every worker has received a copy of a message. The site withholds these pages, so the first message is still in
 *  progress. */
async function oncePerWorker(rig: Rig, { withheld }: Work): Promise<void> {
  await until('workers to receive the copies', async () => (await rig.unreceived(streams.http)) === 0)
  const most = Math.max(...rig.requestsFor(withheld))
  expect(most <= 2, `each worker to request a page once, not ${most} requests of two workers`)
}

/** Retries until a stream has a message, because the streams are empty from time to time. */
async function whenThereAre(
  rig: Rig,
  act: (redis: RedisClientType, stream: string) => Promise<number>,
): Promise<void> {
  const many = () =>
    rig.redis(async redis => {
      const counts = await Promise.all(workStreams.map(stream => act(redis, stream).catch(() => 0)))
      return counts.some(count => count > 0)
    })
  await until('a message in a stream', many)
}

/** Copies messages, except those of the polite site: Redis delivers nothing twice by itself, and a copy would cause an unplanned
 *  request. */
async function copyAll(redis: RedisClientType, stream: string): Promise<number> {
  const all = (await redis.xRange(stream, '-', '+')) ?? []
  const entries = all.filter(({ message }) => !/"gapMs":[1-9]/.test(message.body ?? ''))
  for (const { message } of entries)
    for (let copy = 0; copy < 5; copy += 1) await redis.xAdd(stream, '*', message)
  return entries.length
}

/** Claims all pending messages for a consumer that does not process them. */
async function claimAll(redis: RedisClientType, stream: string): Promise<number> {
  const pending = await redis.xPendingRange(stream, group, '-', '+', 1_000)
  const ids = pending.map(({ id }) => id)
  if (ids.length > 0) await redis.xClaimJustId(stream, group, 'a-thief', 0, ids)
  return ids.length
}

export const redisRestarted: Strike = {
  id: 'F11',
  about: 'a Redis with an append-only file is killed and restarted',
  ways: ['at random'],
  async strike({ rig, work }) {
    const { redis } = rig.cluster
    await rig.redis(client => client.configSet('appendonly', 'yes'))
    await until('the append-only file to exist', () =>
      rig.redis(async client => /aof_rewrite_in_progress:0/.test(await client.info('persistence'))),
    )
    await withWaitingPages(rig, work, async waiting => {
      await redis.kill()
      await redis.start(['--appendonly', 'yes'])
      const kept = await rig.redis(client => client.xLen(streamKey(streams.process)))
      expect(kept >= waiting, `Redis to keep ${waiting} messages, not ${kept}`)
    })
    await rig.redis(client => client.configSet('appendonly', 'no'))
  },
}

/** Short enough that the withheld pages do not time out during this wait. */
const receivedWithinMs = 10_000

/** Suspends the processors while pages arrive, so that messages wait in the stream and no process has received them. `strike`
 *  gets the number of these messages. If Redis loses one, only the coordinator knows its task. */
async function withWaitingPages(
  rig: Rig,
  work: Work,
  strike: (waiting: number) => Promise<void>,
): Promise<void> {
  const names = rig.names.filter(name => name.startsWith('processor'))
  const stopped = names.map(name => rig.role(name).child)
  for (const child of stopped) child.kill('SIGSTOP')
  try {
    // Redis delivers the first messages to processors that already wait for them.
    work.releaseHalf()
    const received = () => Promise.all(names.map(name => rig.heldBy(name, streams.process)))
    // A processor that was not waiting for messages when it was suspended receives none. Its share of the messages stays in the
    // stream.
    const each = async () => (await received()).every(count => count > 0)
    await until('a page that each processor has', each, receivedWithinMs).catch(() => {})
    work.release()
    await until('pages that no processor has', async () => (await rig.unreceived(streams.process)) > 0)
    await strike(await rig.unreceived(streams.process))
  } finally {
    for (const child of stopped) child.kill('SIGCONT')
  }
}

export const redisForgets: Strike = {
  id: 'F12',
  about: 'Redis loses all its data',
  ways: ['FLUSHALL', 'killed', 'DEL stream', 'XGROUP DESTROY'],
  mostRequests: 3,
  async strike({ rig, way, work }) {
    await withWaitingPages(rig, work, () => forget(rig, way))
  },
}

async function forget(rig: Rig, way: string): Promise<void> {
  if (way === 'killed') {
    await rig.cluster.redis.kill()
    return rig.cluster.redis.start()
  }
  await rig.redis(async redis => {
    if (way === 'FLUSHALL') return void (await redis.flushAll())
    for (const stream of workStreams)
      if (way === 'DEL stream') await redis.del(stream)
      else await redis.xGroupDestroy(stream, group).catch(() => {})
  })
}

export const streamMaimed: Strike = {
  id: 'F13',
  about: 'stream entries are truncated or deleted, and consumers removed',
  ways: ['XTRIM', 'XDEL', 'DELCONSUMER'],
  mostRequests: 3,
  async strike({ rig, way, chance }) {
    await whenThereAre(rig, async (redis, stream) => {
      if (way === 'XTRIM') return redis.xTrim(stream, 'MAXLEN', 1)
      if (way === 'DELCONSUMER') return deleteConsumers(redis, stream)
      const entries = (await redis.xRange(stream, '-', '+')) ?? []
      const ids = chance.some(entries, Math.ceil(entries.length / 2)).map(({ id }) => id)
      return ids.length > 0 ? redis.xDel(stream, ids) : 0
    })
  },
}

async function deleteConsumers(redis: RedisClientType, stream: string): Promise<number> {
  const consumers = await redis.xInfoConsumers(stream, group)
  for (const { name } of consumers) await redis.xGroupDelConsumer(stream, group, String(name))
  return consumers.reduce((sum, { pending }) => sum + Number(pending), 0)
}

export const databaseGone: Strike = {
  id: 'F17',
  about: 'PostgreSQL is killed or restarted',
  ways: ['SIGKILL', 'SIGINT'],
  mostRequests: 3,
  async strike({ rig, way, work }) {
    const { postgres } = rig.cluster
    const saidBefore = rig.role('processor').output().length
    await postgres.kill(way as NodeJS.Signals)
    // The pages arrive while no process can commit them.
    work.release()
    const answers = await Promise.all([askApi(rig, `/jobs/${work.bulk}/status`), askApi(rig, '/jobs')])
    await postgres.start()
    for (const { status, retryAfter, ms } of answers) {
      expect(status === 503 && retryAfter !== null, `503 with Retry-After, not ${status} (${retryAfter})`)
      expect(ms < 6_000, `an answer within 5 s, not ${ms} ms`)
    }
    await until('the API to answer again', async () => (await askApi(rig, '/jobs')).status === 200)
    await rig.leads()
    const died = rig.names.filter(name => hasEnded(rig.role(name)))
    expect(died.length === 0, `every process to wait for the database, but ${died} ended`)
    // The processor must not treat this message as poison (a message that kills processes), although it was delivered often.
    const said = rig.role('processor').output().slice(saidBefore)
    expect(!said.includes('could not be processed'), 'the processor to keep its messages until it can commit')
  },
}

async function askApi(
  rig: Rig,
  path: string,
): Promise<{ status: number; retryAfter: string | null; ms: number }> {
  const askedAt = Date.now()
  const headers = { authorization: `Bearer ${rig.cluster.env.SCRAPER_API_KEY}` }
  const response = await fetch(`${rig.apiUrl}${path}`, { headers })
  await response.text()
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    ms: Date.now() - askedAt,
  }
}

export const commitCut: Strike = {
  id: 'F18',
  about: 'connections are cut between a COMMIT and its response',
  ways: ['after', 'before'],
  mostRequests: 4,
  async strike({ rig, way, chance }) {
    const { postgres } = rig
    const before = postgres.cuts
    postgres.cutAt = () => (chance.fraction() < 0.2 ? (way as 'before' | 'after') : null)
    await forAWhile()
    postgres.cutAt = null
    expect(postgres.cuts > before, 'a connection to be cut')
  },
}

const wrongs: Record<string, readonly S3Fault[]> = {
  refused: ['error', 'slow-down', 'denied'],
  broken: ['reset', 'half'],
  silent: ['silent'],
}

export const bucketWrong: Strike = {
  id: 'F21',
  about: 'S3 refuses a request, breaks off, stores half of an object, or does not answer',
  ways: Object.keys(wrongs),
  mostRequests: 5,
  async strike({ rig, way, chance }) {
    const { s3 } = rig
    const before = s3.faults
    // The first write always fails, later ones at random: pages are stored in batches, and a job may have only one batch left.
    s3.fault = ({ method }) =>
      (method === 'PUT' || way === 'refused') && (s3.faults === before || chance.fraction() < 0.3)
        ? chance.pick(wrongs[way]!)
        : null
    await until('a request to hit the fault', () => s3.faults > before)
    await forAWhile()
    s3.fault = null
  },
}

const forAWhile = () => new Promise(resolve => setTimeout(resolve, disturbMs))
