// Seals secrets with a key file that only its owner can read, so that the database alone reveals nothing.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { keyBytes, makeKeyFile } from '../../lib/secrets/key-file.ts'
import { Failure } from '../../model/failures.ts'
import type { Sealer } from '../../ports/secrets.ts'

const nonceBytes = 12
const tagBytes = 16

export const sealKeyName = 'seal.key'
/** The previous key during a key rotation. It opens values that are not resealed yet. */
export const oldKeyName = 'seal.key.old'

/** Creates the key file when the first value is sealed. */
export function openSealer(dataDir: string): Sealer {
  const path = join(dataDir, sealKeyName)
  let key: Buffer | null = null
  const keyFor = (make: boolean) => {
    key ??= keyIn(path, make)
    return key
  }
  const old = join(dataDir, oldKeyName)
  return sealerWith(path, keyFor, () => (existsSync(old) ? keyIn(old, false) : null))
}

/** A sealer with a given key. Error messages name `path` as the place of the key. */
export function sealerWith(
  path: string,
  keyFor: (make: boolean) => Buffer,
  oldKey: () => Buffer | null = () => null,
): Sealer {
  const opened = (bytes: Buffer, owner: string, key: Buffer): string | null => {
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes)).setAAD(
        Buffer.from(owner),
      )
      decipher.setAuthTag(bytes.subarray(-tagBytes))
      const text = bytes.subarray(nonceBytes, -tagBytes)
      return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8')
    } catch {
      return null
    }
  }
  return {
    seal(text, owner) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', keyFor(true), nonce).setAAD(Buffer.from(owner))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64url')
    },
    open(sealed, owner) {
      const bytes = Buffer.from(sealed, 'base64url')
      const text = opened(bytes, owner, keyFor(false))
      if (text !== null) return text
      const old = oldKey()
      const byOld = old === null ? null : opened(bytes, owner, old)
      if (byOld !== null) return byOld
      throw new Failure(
        'secret.missing',
        `a sealed value cannot be opened: ${path} is not the key that sealed it`,
        { path },
      )
    },
  }
}

function keyIn(path: string, make: boolean): Buffer {
  if (make) makeKeyFile(path)
  const key = readKey(path)
  if (key.length === keyBytes) return key
  throw new Failure(
    'secret.missing',
    `${path} contains no key of ${keyBytes} bytes; restore the original file`,
    { path },
  )
}

function readKey(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new Failure('secret.missing', `the key ${path} can't be read (${code})`, { path }, { cause })
  }
}
