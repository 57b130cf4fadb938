// Session ids that any process of the service recognizes: signed for their key, with what the client can do.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

export interface ClientAbilities {
  /** Can ask its user a question. */
  elicits: boolean
}

const letterOf = ({ elicits }: ClientAbilities): string => (elicits ? 'e' : 'p')

function signature(secret: Uint8Array, keyId: string, name: string): string {
  return createHmac('sha256', secret)
    .update(`MCP session ${name} of ${keyId}`)
    .digest('base64url')
    .slice(0, 32)
}

export function newSessionId(secret: Uint8Array, keyId: string, abilities: ClientAbilities): string {
  const name = `${randomBytes(16).toString('base64url')}.${letterOf(abilities)}`
  return `${name}.${signature(secret, keyId, name)}`
}

/** Null for an id that this service did not give to this key. */
export function readSessionId(secret: Uint8Array, keyId: string, id: string): ClientAbilities | null {
  const [random, letter, given = ''] = id.split('.')
  const expected = Buffer.from(signature(secret, keyId, `${random}.${letter}`))
  const actual = Buffer.from(given)
  const isOurs = expected.length === actual.length && timingSafeEqual(expected, actual)
  return isOurs ? { elicits: letter === 'e' } : null
}
