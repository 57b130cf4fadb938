// The key that a first start makes: shown on a terminal; otherwise it is put into a file, because stderr ends up in a log.
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export interface ShownKey {
  /** For people. */
  line: string
  /** For programs. */
  facts: Record<string, string>
}

export function showFirstKey(
  key: string,
  dataDir: string,
  isTerminal = Boolean(process.stderr.isTTY),
): ShownKey {
  if (isTerminal)
    return {
      line: `API key: ${key}   (made now, shown once, counts on this machine only)`,
      facts: { api_key: key },
    }
  const file = join(resolve(dataDir), 'api-key')
  writeFileSync(file, `${key}\n`, { mode: 0o600 })
  return {
    line: `API key: made now, in ${file} (readable by you alone; read it, then delete the file)`,
    facts: { api_key_file: file },
  }
}
