// Loads the connection part of undici when the first connection is opened, because most commands and many processes
// open none. The whole package also has caches, WebSockets and mocks, which take 3 MB in every lane.
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

type Undici = typeof import('undici')

interface Loaded extends Pick<Undici, 'Client' | 'Pool' | 'buildConnector'> {
  errors: Undici['errors']
}

let loaded: Loaded | null = null

export function undici(): Loaded {
  loaded ??= {
    Client: require('undici/lib/dispatcher/client.js'),
    Pool: require('undici/lib/dispatcher/pool.js'),
    buildConnector: require('undici/lib/core/connect.js'),
    errors: require('undici/lib/core/errors.js'),
  }
  return loaded
}
