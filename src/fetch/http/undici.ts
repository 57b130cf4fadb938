// Loads each part of undici on its first use, because most commands and many processes need only some of them. The whole package
// also has caches, WebSockets and mocks, which take 3 MB in every lane.
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

type Undici = typeof import('undici')

interface Loaded extends Pick<Undici, 'Client' | 'Pool' | 'buildConnector'> {
  errors: Undici['errors']
}

/** Node caches loaded modules, so calling `require` in a getter costs little. */
const parts: Loaded = {
  get Client() {
    return require('undici/lib/dispatcher/client.js')
  },
  get Pool() {
    return require('undici/lib/dispatcher/pool.js')
  },
  get buildConnector() {
    return require('undici/lib/core/connect.js')
  },
  get errors() {
    return require('undici/lib/core/errors.js')
  },
}

export const undici = (): Loaded => parts
