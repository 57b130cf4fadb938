// The undici package, loaded with the first connection: many processes of a cluster, and most commands, open none.
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

export const undici = (): typeof import('undici') => require('undici')
