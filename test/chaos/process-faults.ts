// Faults of processes: killed, stopped, suspended or scaled down.
import { group } from '../../src/adapters/redis/consumers.ts'
import { exitCodes } from '../../src/cli/exit-codes.ts'
import { streams } from '../../src/model/cluster-messages.ts'
import { until } from '../support/cluster.ts'
import { expect, type Strike } from './fault.ts'
import { bulkConcurrency, leaseMs, type Name, type Rig, streamKey } from './rig.ts'

/** Much longer than the grace period, so that only a process that never ends fails the round, and not a slow machine. */
const neverLeavesMs = 120_000

export const leaderKilled: Strike = {
  id: 'F2',
  about: 'the leading coordinator is killed',
  ways: ['at random'],
  // Workers keep their tasks, and the next leader adopts the jobs, so no page is requested again.
  mostRequests: 1,
  async strike({ rig, work }) {
    const before = await rig.token()
    await rig.role(rig.leader()).kill('SIGKILL')
    await nextLeader(rig, before)
    await rig.leads()
    const inFlight = rig.requestsFor(work.withheld).filter(count => count > 0).length
    expect(inFlight <= bulkConcurrency, `at most ${bulkConcurrency} requests in flight, not ${inFlight}`)
  },
}

/** Waits until the store names another leader: every leader has a higher fencing token than the one before it. */
async function nextLeader(rig: Rig, before: number): Promise<void> {
  const startedAt = performance.now()
  await until('the standby to lead', async () => (await rig.token()) > before)
  rig.takeOversMs.push(performance.now() - startedAt)
}

export const workerKilled: Strike = {
  id: 'F3',
  about: 'workers are killed',
  ways: ['one', 'all'],
  async strike({ rig, way }) {
    const hit = way === 'all' ? (['worker', 'worker2'] as const) : [await busyWorker(rig)]
    await Promise.all(hit.map(name => rig.role(name).kill('SIGKILL')))
    expect(
      (await heldByAll(rig, hit, streams.http)) > 0,
      `unacknowledged messages of ${hit}, which were killed`,
    )
  },
}

/** The worker with most messages in flight. These are messages of withheld pages. The other worker may still have a message that
 *  it is about to finish. */
async function busyWorker(rig: Rig): Promise<'worker' | 'worker2'> {
  const [first, second] = [
    await rig.heldBy('worker', streams.http),
    await rig.heldBy('worker2', streams.http),
  ]
  return first >= second ? 'worker' : 'worker2'
}

async function heldByAll(rig: Rig, names: readonly Name[], stream: string): Promise<number> {
  const counts = await Promise.all(names.map(name => rig.heldBy(name, stream)))
  return counts.reduce((sum, count) => sum + count, 0)
}

export const processorKilled: Strike = {
  id: 'F5',
  about: 'processors are killed',
  ways: ['one', 'all'],
  async strike({ rig, chance, way, work }) {
    const running = (['processor', 'processor2'] as const).filter(name => rig.names.includes(name))
    const hit = way === 'all' ? running : [chance.pick(running)]
    // Each process is suspended before it is killed, so it never handles the messages that it gets now.
    for (const name of hit) rig.role(name).child.kill('SIGSTOP')
    work.release()
    await until(`messages for ${hit}`, async () => {
      for (const name of hit) await rig.deliverTo(name, streams.process)
      return (await heldByAll(rig, hit, streams.process)) > 0
    })
    await Promise.all(hit.map(name => rig.role(name).kill('SIGKILL')))
    expect((await heldByAll(rig, hit, streams.process)) > 0, `unacknowledged messages of ${hit}`)
  },
}

export const workerStandsStill: Strike = {
  id: 'F8',
  about: 'a worker is suspended for three times its lease, and continues',
  ways: ['at random'],
  async strike({ rig, work }) {
    const name = await busyWorker(rig)
    const { child } = rig.role(name)
    const goOnAt = Date.now() + 3 * leaseMs
    child.kill('SIGSTOP')
    try {
      expect(
        (await rig.heldBy(name, streams.http)) > 0,
        `unacknowledged messages of ${name}, which is suspended`,
      )
      work.release()
      await rig.ended(work.bulk)
      await until('three lease times to pass', () => Date.now() >= goOnAt)
    } finally {
      child.kill('SIGCONT')
    }
    await until('the late pages to be refused', () => /lease_lost/.test(rig.role('processor').output()))
  },
}

/** Asks processes to stop. If the role has a second process, that process continues the work. Otherwise the work waits. */
export const asked: Strike = {
  id: 'F31',
  about: 'processes are asked to stop under load',
  ways: ['everyone', 'worker', 'leader', 'processor', 'api', 'twice'],
  async strike({ rig, way, work }) {
    if (way === 'twice') return askTwice(rig)
    const who = way === 'everyone' ? rig.names : [way === 'leader' ? rig.leader() : (way as Name)]
    const pids = who.map(name => rig.role(name).child.pid!)
    const late = setTimeout(() => {
      for (const name of who) rig.role(name).child.kill('SIGKILL')
    }, neverLeavesMs)
    const leaving = who.map(name => rig.role(name).kill('SIGTERM'))
    // Releases the pages only now, so that the process has requests in flight when it stops.
    work.release()
    const codes = await Promise.all(leaving)
    clearTimeout(late)
    expect(
      codes.every(code => code === 0),
      `${who} to end with 0, not ${codes}`,
    )
    if (way === 'everyone') await noLeases(rig)
    await noNames(rig, pids)
  },
}

async function noLeases(rig: Rig): Promise<void> {
  const held = await rig.leased()
  expect(held === 0, `no leases when all processes have ended, not ${held}`)
}

/** A stopped process must remove its consumer names. Otherwise Redis keeps them permanently. */
async function noNames(rig: Rig, pids: number[]): Promise<void> {
  const consumers = await rig.redis(redis =>
    Promise.all(Object.values(streams).map(stream => redis.xInfoConsumers(streamKey(stream), group))),
  )
  const idle = consumers.flat().flatMap(({ name, pending }) => (pending === 0 ? [String(name)] : []))
  const left = idle.filter(name => pids.some(pid => name.includes(`-${pid}-`)))
  expect(left.length === 0, `no consumer names of ended processes, not ${left}`)
}

/** The second signal ends a process at once, without its grace period. */
async function askTwice(rig: Rig): Promise<void> {
  const { child, kill } = rig.role('worker')
  child.kill('SIGTERM')
  const code = await kill('SIGTERM')
  expect(code === exitCodes.interrupted || code === 0, `the worker to exit as interrupted, not with ${code}`)
}

export const sessionCut: Strike = {
  id: 'F33',
  about: "the leader's session in the database is ended",
  ways: ['at random'],
  async strike({ rig }) {
    const before = await rig.token()
    // A leader holds a shared lock. A process that only checks whether there is a leader holds an exclusive lock for a moment.
    const ended = await rig.cluster.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_locks
         WHERE locktype = 'advisory' AND mode = 'ShareLock' AND granted`,
    )
    expect(ended.length === 1, `one leading session, not ${ended.length}`)
    await nextLeader(rig, before)
  },
}

/** Scales the roles as an autoscaler would, which reads only the backlog metric. */
export const scaledToZero: Strike = {
  id: 'F38',
  about: 'workers and processors are scaled to zero and back',
  ways: ['at random'],
  async strike({ rig }) {
    const scaled = rig.names.filter(name => /^(worker|processor)/.test(name))
    await Promise.all(scaled.map(name => rig.role(name).kill('SIGTERM')))
    expect((await backlog(rig, 'fetch.http')) > 0, 'a backlog while pages wait')
    await rig.start('worker')
    await until('work for processors', async () => (await backlog(rig, 'process')) > 0)
    await rig.start('processor')
  },
}

async function backlog(rig: Rig, queue: string): Promise<number> {
  const port = /"health_port":(\d+)/.exec(rig.role('coordinator').output())![1]
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return Number(new RegExp(`kscrape_backlog\\{queue="${queue}"\\} (\\d+)`).exec(text)?.[1])
}
