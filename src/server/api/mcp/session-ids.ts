// Ids of MCP sessions. An id contains the capabilities of the client, and a signature that is valid for one key. So any
// process of the service can check the id.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

export interface ClientAbilities {
  /** Whether the client can ask its user a question. */
  elicits: boolean
}

const letterOf = ({ elicits }: ClientAbilities): string => (elicits ? 'e' : 'p')

/** `owner`: the key, and the workspace that the key acts for. */
function signature(secret: Uint8Array, owner: string, name: string): string {
  return createHmac('sha256', secret)
    .update(`MCP session ${name} of ${owner}`)
    .digest('base64url')
    .slice(0, 32)
}

export function newSessionId(secret: Uint8Array, owner: string, abilities: ClientAbilities): string {
  const name = `${randomBytes(16).toString('base64url')}.${letterOf(abilities)}`
  return `${name}.${signature(secret, owner, name)}`
}

/** Returns the client's capabilities from the id. Null if this service did not create the id for this owner. */
export function readSessionId(secret: Uint8Array, owner: string, id: string): ClientAbilities | null {
  const [random, letter, given = ''] = id.split('.')
  const expected = Buffer.from(signature(secret, owner, `${random}.${letter}`))
  const actual = Buffer.from(given)
  const isOurs = expected.length === actual.length && timingSafeEqual(expected, actual)
  return isOurs ? { elicits: letter === 'e' } : null
}
