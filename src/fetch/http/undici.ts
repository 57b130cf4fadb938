// Loads undici with the first connection, because most commands and many cluster processes open none.
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

export const undici = (): typeof import('undici') => require('undici')
