// Watches a file that people edit. Reports a complete write with different content.
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

/** Polling interval. Polling is slower than notifications, but works on any file system and with any editor. */
const lookEveryMs = 100
/** A file that did not change for this long is complete. */
const quietMs = 30

/** Yields at the start and after each change. Ends when aborted. Compares content, because modification times could
 *  miss a change before the first check. */
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

/** Null while the file does not exist: some editors delete a file before they write the new one. */
function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
