// Generates API keys, and converts them to their stored form.
import { hash, randomBytes } from 'node:crypto'

const shownCharacters = 9

/** A key has 32 random bytes and cannot be guessed, so a fast hash is enough. */
export const newApiKey = (): string => `ks_${randomBytes(32).toString('base64url')}`

export const hashOfKey = (key: string): string => hash('sha256', key)

export const prefixOfKey = (key: string): string => key.slice(0, shownCharacters)

/** Prefix of keys that the service creates for users of this machine. Requests from other machines cannot use them. */
export const localKeyPrefix = 'local-'

export const newKeyId = (isLocal = false): string =>
  `${isLocal ? localKeyPrefix : 'key-'}${randomBytes(5).toString('hex')}`
