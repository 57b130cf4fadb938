// The token in a feed URL. Feed readers send no API keys, so the URL itself grants access. Several workspaces may use the same
// monitor id, so the token names the workspace: `team.SIGNATURE`, or `SIGNATURE` in the workspace `default`.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { defaultWorkspace, idIn } from '../../../model/access.ts'
import { id } from '../../../model/ids.ts'
import type { Schedule } from '../../../model/schedule.ts'
import type { Server } from '../../parts.ts'

type Parts = Pick<Server, 'parts'>

const signature = ({ parts }: Parts, scheduleId: string): string =>
  createHmac('sha256', parts.uploadKey).update(`feed of ${scheduleId}`).digest('base64url').slice(0, 32)

export function feedToken(server: Parts, { id: own, workspace }: Pick<Schedule, 'id' | 'workspace'>): string {
  const signed = signature(server, own)
  return workspace === defaultWorkspace ? signed : `${workspace}.${signed}`
}

/** The stored id of the monitor that the token is for; null if the token is wrong. Reads nothing from the store. */
export function monitorOfToken(server: Parts, monitorId: string, token: string): string | null {
  const dot = token.lastIndexOf('.')
  const workspace = dot === -1 ? defaultWorkspace : token.slice(0, dot)
  if (!id.safeParse(workspace).success) return null
  const own = idIn(workspace, monitorId)
  const [ours, theirs] = [Buffer.from(signature(server, own)), Buffer.from(token.slice(dot + 1))]
  return ours.length === theirs.length && timingSafeEqual(ours, theirs) ? own : null
}
