// Secrets from the environment and from a file of `NAME=value` lines. They are read on first use and never shown.
import { readFile, stat } from 'node:fs/promises'
import { parseEnv } from 'node:util'
import { Failure } from '../../model/failures.ts'
import type { Secrets } from '../../ports/secrets.ts'

interface SecretPlaces {
  /** Secrets by name, without the prefix of their variables. They override secrets of the file. */
  environment: Readonly<Record<string, string>>
  file: string
  /** Whether the operator configured the file. Then it must exist; the default file is optional. */
  isNamed: boolean
}

/** Opens the secrets. The letter case of secret names does not matter. */
export function openSecrets(places: SecretPlaces): Secrets {
  let known: Promise<Map<string, string>> | null = null
  const all = () => {
    known ??= readAll(places)
    return known
  }
  return {
    get: async name => (await all()).get(name.toUpperCase()) ?? null,
    names: async () => [...(await all()).keys()],
  }
}

async function readAll({ environment, file, isNamed }: SecretPlaces): Promise<Map<string, string>> {
  const inFile = await readSecretsFile(file, isNamed)
  const entries = Object.entries({ ...inFile, ...environment })
  return new Map(entries.map(([name, value]) => [name.toUpperCase(), value]))
}

async function readSecretsFile(path: string, isNamed: boolean): Promise<Record<string, string>> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT' && !isNamed) return {}
    throw new Failure(
      'secret.missing',
      `the file of secrets ${path} can't be read (${code})`,
      { path },
      { cause },
    )
  }
  if (!isNamed) await refuseIfOpen(path)
  return parseEnv(text) as Record<string, string>
}

/** Refuses a file that other users can read. Call it only for the default file: a cluster may mount a configured file with other
 *  rights. */
async function refuseIfOpen(path: string): Promise<void> {
  const { mode } = await stat(path)
  if ((mode & 0o077) === 0) return
  const message = `${path} can be read by other users of this machine; run chmod 600 ${path}`
  throw new Failure('secret.missing', message, { path })
}
