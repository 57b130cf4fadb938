// The API is killed while fifty clients submit: what they were told exists, once, and is done in the end.
import { until } from '../support/cluster.ts'
import type { Trial, Turn } from './fault.ts'
import type { Rig } from './rig.ts'

const clients = 50
/** How often the API is killed, and how many jobs clients submit before each kill. */
const sizes = { small: { kills: 1, apart: 40 }, whole: { kills: 2, apart: 60 } }
/** Clients rest for longer and longer while nobody answers, and the machine is busy. */
const jobsWithinMs = 120_000

export const apiKilled: Trial = {
  id: 'F1',
  about: 'the API is killed while fifty clients submit',
  ways: ['at random'],
  async trial(turn) {
    const round = `${turn.chance.between(1, 1e9)}-`
    const made = await submitThroughKills(turn, round)
    const found = await foundOf(turn.rig, round)
    const wrong = [...made].filter(([name, jobId]) => found.get(jobId) !== name)
    const doubled = [...found].filter(([jobId, name]) => made.get(name) !== jobId)
    return [
      ...wrong.map(([name, jobId]) => `${name} was told that it is job ${jobId}, which is not there`),
      ...doubled.map(([jobId, name]) => `${name} made job ${jobId} as well, and was not told`),
      ...(await notDone(turn.rig, [...made.values()])),
    ]
  },
}

/** By the name that each client gave it. */
async function submitThroughKills({ rig }: Turn, round: string): Promise<Map<string, string>> {
  const { kills, apart } = sizes[rig.size]
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
    await until(`${kill * apart} jobs`, () => made.size >= kill * apart, jobsWithinMs)
    await rig.role('api').kill('SIGKILL')
    await rig.start('api')
  }
  await until('the clients to go on', () => made.size >= (kills + 1) * apart, jobsWithinMs)
  isOver.abort()
  await Promise.all(submitting)
  return made
}

const unlimited = { host: { rate: 'unlimited' as const } }

/** All of this round, asked of the API itself. */
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
