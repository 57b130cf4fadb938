// Profiles of this process on request: a heap snapshot, or a CPU profile of the main thread.
import { Session } from 'node:inspector/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { getHeapSnapshot } from 'node:v8'
import type { ProfileRequest } from '../../model/diagnosis.ts'

/** The file name of a profile. The developer tools of a browser can open it. */
export const profileFile = ({ kind }: ProfileRequest): string =>
  kind === 'heap' ? 'heap.heapsnapshot' : 'cpu.cpuprofile'

export async function* profileHere(request: ProfileRequest): AsyncGenerator<Buffer> {
  if (request.kind === 'heap') {
    for await (const chunk of getHeapSnapshot()) yield Buffer.from(chunk)
    return
  }
  yield Buffer.from(JSON.stringify(await cpuProfile(request.seconds)))
}

async function cpuProfile(seconds: number): Promise<unknown> {
  const session = new Session()
  session.connect()
  try {
    await session.post('Profiler.enable')
    await session.post('Profiler.start')
    await wait(seconds * 1_000)
    return (await session.post('Profiler.stop')).profile
  } finally {
    session.disconnect()
  }
}
