// API keys: generation, and their stored form.
import { hash, randomBytes } from 'node:crypto'

const shownCharacters = 9

/** 32 random bytes cannot be guessed, so a fast hash is enough. */
export const newApiKey = (): string => `ks_${randomBytes(32).toString('base64url')}`

export const hashOfKey = (key: string): string => hash('sha256', key)

export const prefixOfKey = (key: string): string => key.slice(0, shownCharacters)

/** Created by the service for users of this machine; refused from elsewhere. */
export const localKeyPrefix = 'local-'

export const newKeyId = (isLocal = false): string =>
  `${isLocal ? localKeyPrefix : 'key-'}${randomBytes(5).toString('hex')}`
