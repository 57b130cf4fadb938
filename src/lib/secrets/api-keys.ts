// API keys: how one is made, and what is kept of it.
import { hash, randomBytes } from 'node:crypto'

const shownCharacters = 9

/** 32 random bytes: nothing to guess, so a fast hash is enough to keep. */
export const newApiKey = (): string => `ks_${randomBytes(32).toString('base64url')}`

export const hashOfKey = (key: string): string => hash('sha256', key)

export const prefixOfKey = (key: string): string => key.slice(0, shownCharacters)

/** Made by the service itself for whoever sits at this machine; not accepted from anywhere else. */
export const localKeyPrefix = 'local-'

export const newKeyId = (isLocal = false): string =>
  `${isLocal ? localKeyPrefix : 'key-'}${randomBytes(5).toString('hex')}`
