// Signs of life: who takes from the streams, told to everyone every few seconds.
import { systemClock } from '../../lib/clocks.ts'
import type { StreamContents, WorkerSign } from '../../ports/stream-contents.ts'

const everyMs = 5_000

export async function giveSigns(
  presence: StreamContents,
  name: string,
  sign: () => Omit<WorkerSign, 'name'>,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = Math.round(performance.timeOrigin)
  while (!signal.aborted) {
    const own = { startedAt, memoryBytes: process.memoryUsage.rss() }
    await presence.signIn(name, { ...own, ...sign() }).catch(() => {})
    await systemClock.sleep(everyMs, signal).catch(() => {})
  }
}

export const fetches = ({ role }: WorkerSign): boolean => role.endsWith('-worker')

export const renders = ({ role }: WorkerSign): boolean => role === 'browser-worker'

export const processes = ({ role }: WorkerSign): boolean => role === 'processor'

export const coordinates = ({ role }: WorkerSign): boolean => role === 'coordinator'
