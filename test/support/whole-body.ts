// Reads the body of a request to a test server. A sender may die midway, which must not be an unhandled rejection.
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'

/** Null if the body breaks off. */
export const wholeBody = (request: IncomingMessage): Promise<string | null> => text(request).catch(() => null)
