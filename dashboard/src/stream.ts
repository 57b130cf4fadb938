// Follows a stream of events while the page is open. After a lost connection it reconnects, with growing delays.

export interface Following<Event> {
  /** Opens the stream. It ends when the service ends it, or when the signal is aborted. */
  open: (signal: AbortSignal) => AsyncIterable<Event>
  onEvent: (event: Event) => void
  /** `live` while connected, `waiting` between two attempts to connect. */
  onState?: (state: 'live' | 'waiting') => void
  /** Whether the end of the stream is final, so that it is not opened again. */
  isDone?: () => boolean
}

const firstWaitMs = 1_000
const longestWaitMs = 30_000

/** Returns a function that stops following. */
export function follow<Event>(following: Following<Event>): () => void {
  const leaving = new AbortController()
  void run(following, leaving.signal)
  return () => leaving.abort()
}

async function run<Event>(following: Following<Event>, signal: AbortSignal): Promise<void> {
  const { open, onEvent, onState, isDone } = following
  for (let waitMs = firstWaitMs; !signal.aborted; waitMs = Math.min(longestWaitMs, waitMs * 2)) {
    try {
      for await (const event of open(signal)) {
        if (signal.aborted) return
        waitMs = firstWaitMs
        onState?.('live')
        onEvent(event)
      }
    } catch {
      // The connection broke; the loop below reconnects.
    }
    if (signal.aborted || isDone?.()) return
    onState?.('waiting')
    await pause(waitMs * (0.75 + Math.random() / 2), signal)
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
