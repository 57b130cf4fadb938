// The key that signs upload URLs. It is created once and stored with the data.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { keyBytes, makeKeyFile } from '../../lib/secrets/key-file.ts'
import { Failure } from '../../model/failures.ts'

export async function uploadKeyIn(dataDir: string): Promise<Buffer> {
  const path = join(dataDir, 'upload-key')
  makeKeyFile(path)
  const key = await readFile(path)
  if (key.length === keyBytes) return key
  throw new Failure(
    'storage.failed',
    `${path} contains no key of ${keyBytes} bytes; delete the file, and a new key is created`,
    {
      path,
    },
  )
}
