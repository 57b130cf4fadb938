// The key that a first start creates. It is printed on a terminal; otherwise it is written to a file, because stderr may end up
// in a log.
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

interface ShownKey {
  /** The message about the key, for people. */
  line: string
  /** The same facts for programs, printed as JSON. */
  facts: Record<string, string>
}

export function showFirstKey(
  key: string,
  dataDir: string,
  isTerminal = Boolean(process.stderr.isTTY),
): ShownKey {
  if (isTerminal)
    return {
      line: `API key: ${key}   (new, shown only once, valid on this machine only)`,
      facts: { api_key: key },
    }
  const file = join(resolve(dataDir), 'api-key')
  writeFileSync(file, `${key}\n`, { mode: 0o600 })
  return {
    line: `API key: new, in ${file} (only you can read the file; copy the key, then delete the file)`,
    facts: { api_key_file: file },
  }
}
