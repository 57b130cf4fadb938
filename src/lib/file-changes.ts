// Tells when a file that people edit has changed: once it is whole, and only if it says something else.
import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

/** Looking is slower than being told, and works wherever the file lies and however an editor replaces it. */
const lookEveryMs = 100
/** A file that says the same for this long was written to its end. */
const quietMs = 30

/** Yields at the start and after each change. Ends when aborted. */
export async function* fileChanges(path: string, signal: AbortSignal): AsyncGenerator<void> {
  let seen = Promise.withResolvers<void>()
  const onChange = () => seen.resolve()
  watchFile(path, { interval: lookEveryMs }, onChange)
  signal.addEventListener('abort', onChange, { once: true })
  try {
    for (let last: string | null | undefined; !signal.aborted; await seen.promise) {
      seen = Promise.withResolvers<void>()
      const text = await wholeText(path)
      if (text !== last && !signal.aborted) yield
      last = text
    }
  } finally {
    unwatchFile(path, onChange)
  }
}

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
