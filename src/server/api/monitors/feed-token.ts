// The token in a feed URL. Feed readers send no API keys, so the URL itself grants access.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Server } from '../../parts.ts'

export const feedToken = ({ parts }: Pick<Server, 'parts'>, scheduleId: string): string =>
  createHmac('sha256', parts.uploadKey).update(`feed of ${scheduleId}`).digest('base64url').slice(0, 32)

export function isFeedToken(server: Pick<Server, 'parts'>, scheduleId: string, given: string): boolean {
  const [ours, theirs] = [Buffer.from(feedToken(server, scheduleId)), Buffer.from(given)]
  return ours.length === theirs.length && timingSafeEqual(ours, theirs)
}
