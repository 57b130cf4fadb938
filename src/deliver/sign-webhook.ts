// Signs webhooks: receivers can verify the origin, integrity and age.
import { createHmac } from 'node:crypto'

export interface Signed {
  id: string
  body: string
  /** Of this attempt, in epoch ms. */
  at: number
}

/** The headers of Standard Webhooks, with one signature per secret, and `X-Webhook-Signature`: the first secret's, in hex,
 *  over the body alone. Without a secret nothing is signed. */
export function webhookHeaders({ id, body, at }: Signed, secrets: readonly string[]): Record<string, string> {
  const timestamp = String(Math.floor(at / 1_000))
  const signatures = secrets.map(secret => standardSignature(secret, `${id}.${timestamp}.${body}`))
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    ...(secrets[0] !== undefined && {
      'webhook-signature': signatures.join(' '),
      'x-webhook-signature': createHmac('sha256', secrets[0]).update(body).digest('hex'),
    }),
  }
}

const standardSignature = (secret: string, text: string): string =>
  `v1,${createHmac('sha256', keyOf(secret)).update(text).digest('base64')}`

/** A secret in the standard's format is base64 after its prefix; any other is used as it is. */
function keyOf(secret: string): Buffer {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1]
  return encoded ? Buffer.from(encoded, 'base64') : Buffer.from(secret)
}

/** As Firecrawl signs: over the body alone, by the first secret. */
export const firecrawlSignature = (body: string, [secret]: readonly string[]): Record<string, string> =>
  secret === undefined
    ? {}
    : { 'x-firecrawl-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}` }
