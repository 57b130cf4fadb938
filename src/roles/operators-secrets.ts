// Secrets for actions: a file beside the data that only its owner may read, one `NAME=value` a line.
import { readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Failure } from '../model/failures.ts'
import type { Secrets } from '../ports/secrets.ts'

export function operatorsSecrets(dataDir: string): Secrets {
  const path = join(resolve(dataDir), 'secrets.env')
  let known: Promise<Map<string, string>> | null = null
  const all = () => {
    known ??= readSecrets(path)
    return known
  }
  return {
    get: async name => (await all()).get(name) ?? null,
    names: async () => [...(await all()).keys()],
  }
}

async function readSecrets(path: string): Promise<Map<string, string>> {
  const text = await readFile(path, 'utf8').catch(() => null)
  if (text === null) return new Map()
  await refuseIfOpen(path)
  return new Map(text.split(/\r?\n/).flatMap(entryOf))
}

/** What others on the machine can read is no secret. */
async function refuseIfOpen(path: string): Promise<void> {
  const { mode } = await stat(path)
  if ((mode & 0o077) === 0) return
  throw new Failure('secret.missing', `${path} can be read by others on this machine: chmod 600 ${path}`, {
    path,
  })
}

function entryOf(line: string): Array<[string, string]> {
  const [, name, value] = /^\s*([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(line) ?? []
  return name === undefined || value === undefined ? [] : [[name, value]]
}
