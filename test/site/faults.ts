// Faults that a test requests: the next N requests to a path fail, or wait until the test releases them.
import type { Answer, Visit } from '../../src/demo-site/index.ts'

export interface Hold extends Disposable {
  /** Resolves when `count` requests are waiting. */
  arrived(count?: number): Promise<void>
  /** Releases the waiting requests, and lets all later ones pass. */
  release(): void
}

export interface Faults {
  /** The next `times` requests to the path get this status, or their connection is reset. The path `*` means every path. */
  fail(path: string, times: number, status?: number | 'reset', headers?: Record<string, string>): void
  /** Requests to these paths get no response until the test releases them. */
  hold(...paths: string[]): Hold
  intercept(visit: Visit): Promise<Answer | undefined>
}

interface Failing {
  path: string
  left: number
  status: number | 'reset'
  headers: Record<string, string>
}

export function scriptedFaults(): Faults {
  const failing: Failing[] = []
  const holds = new Map<string, ReturnType<typeof openHold>>()

  return {
    fail(path, times, status = 503, headers = {}) {
      failing.push({ path, left: times, status, headers })
    },
    hold(...paths) {
      const hold = openHold()
      for (const path of paths) holds.set(path, hold)
      return hold
    },
    async intercept({ url }) {
      await (holds.get(url.pathname) ?? holds.get('*'))?.pass()
      const fault = failing.find(({ path, left }) => left > 0 && (path === url.pathname || path === '*'))
      if (!fault) return undefined
      fault.left -= 1
      return answerOf(fault)
    },
  }
}

function answerOf({ status, headers }: Failing): Answer {
  if (status === 'reset') return response => void response.socket?.resetAndDestroy()
  return {
    status,
    headers: { 'content-type': 'text/plain', ...headers },
    body: `Failing on purpose with ${status}\n`,
  }
}

function openHold() {
  const gate = Promise.withResolvers<void>()
  let waiting = 0
  let watchers: { count: number; resolve: () => void }[] = []

  function tellWatchers(): void {
    for (const watcher of watchers) if (waiting >= watcher.count) watcher.resolve()
    watchers = watchers.filter(({ count }) => waiting < count)
  }
  return {
    pass(): Promise<void> {
      waiting += 1
      tellWatchers()
      return gate.promise
    },
    arrived(count = 1): Promise<void> {
      const reached = Promise.withResolvers<void>()
      watchers.push({ count, resolve: reached.resolve })
      tellWatchers()
      return reached.promise
    },
    release: () => gate.resolve(),
    [Symbol.dispose]: () => gate.resolve(),
  }
}
