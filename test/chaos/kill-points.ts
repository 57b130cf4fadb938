// Kills a process at each fault point (a named place in the code), one point per round, while jobs run.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { until } from '../support/cluster.ts'
import { expect, type Trial, type Turn } from './fault.ts'
import { whatIsWrong } from './invariants.ts'
import { hasEnded, type Name, type Rig, type Work } from './rig.ts'

/** For each fault point, the process that is killed there. XACK and XDEL are sent together, so no fault point is between them. */
const places: Record<string, Name> = {
  'worker.after_claim': 'worker',
  'worker.after_fetch_before_store': 'worker',
  'worker.after_hand_on_before_ack': 'worker',
  'proc.after_read': 'processor',
  'worker.after_store_before_commit': 'processor',
  'worker.after_commit_before_ack': 'processor',
  'proc.after_commit': 'processor',
  'dispatch.after_claim': 'coordinator',
  'dispatch.after_xadd_before_mark': 'coordinator',
  'coord.mid_finalize': 'coordinator',
  'coord.after_manifest_before_status': 'coordinator',
  'webhook.after_take_before_send': 'coordinator',
  'webhook.after_send_before_mark': 'coordinator',
  'ingest.mid_batch': 'ingest',
  'api.after_insert_before_reply': 'api',
}

const mostTries = 4

export const killPoints: Trial = {
  id: 'F7',
  about: 'a process ends itself at a fault point',
  ways: [...Object.keys(places), 'migrate.mid'],
  async trial(turn) {
    return turn.way === 'migrate.mid' ? migrateTwice(turn) : passAndDie(turn)
  },
}

/** Kills a process at the fault point while jobs run, restarts it, and returns the violations after all jobs have ended. */
async function passAndDie({ rig, chance, way }: Turn): Promise<string[]> {
  const name = places[way]!
  const passes = chance.between(1, 2)
  await arm(rig, name, `${way}:${passes}`)
  const armed = rig.role(name)
  const works: Work[] = []
  const passed = until(`${name} to pass ${way}`, () => hasEnded(armed), 120_000)
  const restored = passed.then(() => rig.restore())
  restored.catch(() => {})
  for (let tries = 0; tries < mostTries && (tries === 0 || !hasEnded(armed)); tries += 1) {
    const work = await rig.begin(0)
    if (name === 'ingest') work.jobs.push(await uploadRows(rig))
    for (const jobId of work.jobs) await rig.ended(jobId)
    works.push(work)
  }
  await restored
  expect(armed.child.signalCode === 'SIGKILL', `${name} to die at ${way}, not with ${armed.child.exitCode}`)
  const last = works.at(-1)!
  return whatIsWrong(rig, { ...last, jobs: works.flatMap(({ jobs }) => jobs) }, { mostRequests: 3 })
}

async function arm(rig: Rig, name: Name, point: string): Promise<void> {
  const isLeader = name === 'coordinator'
  const before = await rig.token()
  await Promise.all(
    (isLeader ? (['coordinator', 'standby'] as const) : [name]).map(one => rig.role(one).kill()),
  )
  await rig.start(name, { KILLPOINT: point })
  if (!isLeader) return
  await until('the coordinator to lead', async () => (await rig.token()) > before)
  await rig.start('standby')
}

async function uploadRows({ client, site, receiver }: Rig): Promise<string> {
  const rows = Array.from({ length: 400 }, (_, n) => `${site.url}/leaf/${n}`)
  const { uploadId } = await client.uploads.send(rows.join('\n'), { fileName: 'rows.txt' })
  const job = { uploadId, policy: { host: { rate: 'unlimited' as const } }, webhookUrl: receiver.url }
  return (await client.jobs.create(job)).jobId
}

/** Kills a migration of a new schema. The killed migration must leave no change, and the next one must do all of its work. */
async function migrateTwice({ rig, chance }: Turn): Promise<string[]> {
  const { postgres, env } = rig.cluster
  const own = { ...env, DATABASE_URL: await postgres.freshUrl() }
  const killed = await migrate({ ...own, KILLPOINT: `migrate.mid:${chance.between(1, 3)}` })
  const codes = [await migrate(own), await migrate(own)]
  const wrong = killed === 'SIGKILL' ? [] : [`migrate ended with ${killed}, not at its kill point`]
  return codes.every(code => code === 0) ? wrong : [...wrong, `migrate again ended with ${codes}`]
}

async function migrate(env: Record<string, string>): Promise<number | string> {
  const program = join(import.meta.dirname, '../../src/cli/kscrape.ts')
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, 'migrate'], {
    env: { PATH: process.env.PATH, ...env },
    stdio: 'ignore',
  })
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  return signal ?? code ?? -1
}
