// The API is killed while clients submit jobs. Every accepted job exists once and ends.
import { until } from '../support/cluster.ts'
import { expect, type Trial, type Turn } from './fault.ts'
import { hasEnded, type Rig } from './rig.ts'

/** The number of clients, how often the API is killed, and how many jobs the clients submit before each kill. */
const sizes = { small: { clients: 15, kills: 1, apart: 25 }, whole: { clients: 50, kills: 2, apart: 60 } }
/** A long time limit, because clients wait between retries while the API is down, and the machine may be busy. */
const jobsWithinMs = 120_000

export const apiKilled: Trial = {
  id: 'F1',
  about: 'the API is killed while clients submit',
  ways: ['at random', 'before it replies'],
  async trial(turn) {
    const round = `${turn.chance.between(1, 1e9)}-`
    const made = await submitThroughKills(turn, round)
    const found = await foundOf(turn.rig, round)
    const wrong = [...made].filter(([name, jobId]) => found.get(jobId) !== name)
    const doubled = [...found].filter(([jobId, name]) => made.get(name) !== jobId)
    return [
      ...wrong.map(([name, jobId]) => `${name} got the id of job ${jobId}, which does not exist`),
      ...doubled.map(([jobId, name]) => `${name} also created job ${jobId}, without a response`),
      ...(await notDone(turn.rig, [...made.values()])),
    ]
  },
}

/** Returns the id of each job, by the name that its client chose. */
async function submitThroughKills({ rig, way }: Turn, round: string): Promise<Map<string, string>> {
  const { clients, kills, apart } = sizes[rig.size]
  if (way === 'before it replies') await armApi(rig, apart)
  const made = new Map<string, string>()
  const isOver = new AbortController()
  const submitting = Array.from({ length: clients }, async (_, client) => {
    for (let n = 0; !isOver.signal.aborted; n += 1) {
      const name = `${round}${client}-${n}`
      const job = { urls: [`${rig.site.url}/?${name}`], policy: unlimited, labels: { name } }
      made.set(name, (await rig.client.jobs.create(job)).jobId)
    }
  })
  for (let kill = 1; kill <= kills; kill += 1) {
    if (way === 'before it replies' && kill === 1) await diesItself(rig)
    else await until(`${kill * apart} jobs`, () => made.size >= kill * apart, jobsWithinMs)
    await rig.role('api').kill('SIGKILL')
    await rig.start('api')
  }
  await until('the clients to continue', () => made.size >= (kills + 1) * apart, jobsWithinMs)
  isOver.abort()
  await Promise.all(submitting)
  return made
}

/** The API dies after it stored a job and before it sends the response. The client must then submit the job again. */
async function armApi(rig: Rig, jobs: number): Promise<void> {
  await rig.role('api').kill('SIGTERM')
  await rig.start('api', { KILLPOINT: `api.after_insert_before_reply:${jobs}` })
}

async function diesItself(rig: Rig): Promise<void> {
  const api = rig.role('api')
  await until('the API to die before it replies', () => hasEnded(api), jobsWithinMs)
  expect(
    api.child.signalCode === 'SIGKILL',
    `the API to die before it replies, not with ${api.child.exitCode}`,
  )
}

const unlimited = { host: { rate: 'unlimited' as const } }

/** All jobs of this round, read from the API itself. */
async function foundOf({ client }: Rig, round: string): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for await (const { jobId, labels } of client.jobs.list({ pageSize: 1_000 }))
    if (labels.name?.startsWith(round)) found.set(jobId, labels.name)
  return found
}

async function notDone(rig: Rig, jobIds: string[]): Promise<string[]> {
  const wrong: string[] = []
  for (const jobId of jobIds) {
    const { state } = await rig.ended(jobId)
    if (state !== 'completed') wrong.push(`job ${jobId} ended as ${state}`)
  }
  return wrong
}
