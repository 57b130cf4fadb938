// Tells when a file that people edit has changed: once it is whole, and only if it says something else.
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

/** Looking is slower than being told, and works wherever the file lies and however an editor replaces it. */
const lookEveryMs = 100
/** A file that says the same for this long was written to its end. */
const quietMs = 30

/**
 * Yields at the start and after each change. Ends when aborted. It goes by what the file says: one that is watched for its times
 * has changed unseen before these were looked at first.
 */
export async function* fileChanges(path: string, signal: AbortSignal): AsyncGenerator<void> {
  for (let last: string | null | undefined; !signal.aborted; await untilNextLook(signal)) {
    if (textOf(path) === last) continue
    const text = await wholeText(path)
    if (text !== last && !signal.aborted) yield
    last = text
  }
}

const untilNextLook = (signal: AbortSignal): Promise<void> =>
  wait(lookEveryMs, undefined, { signal }).catch(() => {})

async function wholeText(path: string): Promise<string | null> {
  for (let text = textOf(path); ; ) {
    await wait(quietMs)
    const now = textOf(path)
    if (now === text) return now
    text = now
  }
}

/** Null while it is not there: editors take a file away before they put the new one in its place. */
function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
