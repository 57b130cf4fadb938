// What came with a request to a server of a test: a sender may die in the middle of it, and that is nobody's unhandled rejection.
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'

/** Null when it breaks off. */
export const wholeBody = (request: IncomingMessage): Promise<string | null> => text(request).catch(() => null)
