// The key that URLs of uploads are signed with: made once, and kept with the data.
import { randomBytes } from 'node:crypto'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../model/failures.ts'

const keyBytes = 32

export async function uploadKeyIn(dataDir: string): Promise<Buffer> {
  const path = join(dataDir, 'upload-key')
  await makeKey(path)
  const key = await readFile(path)
  if (key.length === keyBytes) return key
  throw new Failure(
    'storage.failed',
    `${path} holds no key of ${keyBytes} bytes: delete it, and a new one is made`,
    {
      path,
    },
  )
}

/** Only where there is none: whoever came first made it. */
async function makeKey(path: string): Promise<void> {
  const file = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return null
    throw new Failure(
      'storage.failed',
      `${path} could not be made: ${error.message}`,
      { path },
      { cause: error },
    )
  })
  if (!file) return
  try {
    await file.writeFile(randomBytes(keyBytes))
    await file.sync()
  } finally {
    await file.close()
  }
}
