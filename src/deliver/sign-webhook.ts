// Signs webhooks, so that receivers can verify their origin, integrity and age.
import { createHmac } from 'node:crypto'

interface Signed {
  id: string
  body: string
  /** Time of this attempt, in epoch ms. */
  at: number
}

/** The headers of Standard Webhooks, with one signature per secret, and the header `X-Webhook-Signature`. The latter signs only the
 *  body, with the first secret, in hex. Without a secret, there are no signatures. */
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

/** The signature key for a secret. If the secret is in the format of Standard Webhooks (`whsec_` and base64), the key is the
 *  decoded base64. Otherwise the key is the text of the secret. */
function keyOf(secret: string): Buffer {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1]
  return encoded ? Buffer.from(encoded, 'base64') : Buffer.from(secret)
}

/** The signature header of Firecrawl. It signs only the body, with the first secret. */
export const firecrawlSignature = (body: string, [secret]: readonly string[]): Record<string, string> =>
  secret === undefined
    ? {}
    : { 'x-firecrawl-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}` }
