// Reads the body of a request to a test server. If the sender dies midway, this must not cause an unhandled rejection.
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'

/** Null if the connection ends before the body is complete. */
export const wholeBody = (request: IncomingMessage): Promise<string | null> => text(request).catch(() => null)
