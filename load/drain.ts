// After the last request: every accepted job must exist and reach its end.
import { open } from './prepare.ts'
import type { JobsReport } from './report.ts'
import type { World } from './scenarios.ts'

const lookEveryMs = 250
const pageSize = 1_000

export async function drain(world: World, withinMs: number): Promise<JobsReport> {
  const deadline = Date.now() + withinMs
  const isOpen = async () => {
    const { body } = await world.service.get(`/jobs?label=load:${world.run}&status=${open.join(',')}&limit=1`)
    return ((body.jobs as unknown[] | undefined) ?? []).length > 0
  }
  if (world.accepted === 0) return { accepted: 0, lost: 0, unended: 0, byState: {} }
  while (Date.now() < deadline && (await isOpen()))
    await new Promise(resolve => setTimeout(resolve, lookEveryMs))
  const byState = await statesOf(world)
  const known = Object.values(byState).reduce((sum, count) => sum + count, 0)
  const unended = open.reduce((sum, state) => sum + (byState[state] ?? 0), 0)
  return { accepted: world.accepted, lost: Math.max(0, world.accepted - known), unended, byState }
}

async function statesOf({ service, run }: World): Promise<Record<string, number>> {
  const byState: Record<string, number> = {}
  let cursor = ''
  do {
    const { body } = await service.get(`/jobs?label=load:${run}&limit=${pageSize}${cursor}`)
    for (const { status } of (body.jobs as Array<{ status: string }> | undefined) ?? [])
      byState[status] = (byState[status] ?? 0) + 1
    cursor = body.next_cursor ? `&cursor=${encodeURIComponent(String(body.next_cursor))}` : ''
  } while (cursor)
  return byState
}
