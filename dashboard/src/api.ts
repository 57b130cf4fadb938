// The session: its API key, stored for this tab only, and the client that uses it.
import { type Account, ApiError, Client } from '../../src/client.ts'
import { mapKeys, snake } from '../../src/model/letter-case.ts'

export type * from '../../src/client.ts'
export type { SeatInput } from '../../src/model/seat.ts'
export { ApiError }

/** The name under which the API key is stored. Session storage belongs to this tab, and the browser deletes it with the tab. */
const place = 'kscrape.key'

export interface Session {
  client: Client
  account: Account
  /** The rights of the key. */
  may: { submit: boolean; admin: boolean; operate: boolean; watch: boolean }
}

/** Checks the key with the service. Throws the service's error. */
export async function openSession(key: string): Promise<Session> {
  const client = new Client({ server: location.origin, apiKey: key, retries: 1 })
  const account = await client.me()
  const admin = account.scopes.includes('admin')
  const may = {
    ...{ admin, submit: admin || account.scopes.includes('submit') },
    watch: admin || account.scopes.includes('live_view'),
    // Hosts, lists and settings concern all workspaces, so only keys of the operator's workspace may see them.
    operate: admin && account.workspace === 'default',
  }
  return { client, account, may }
}

export const keptKey = (): string | null => sessionStorage.getItem(place)
export const keepKey = (key: string): void => sessionStorage.setItem(place, key)
export const forgetKey = (): void => sessionStorage.removeItem(place)

export const isUnauthorized = (error: unknown): boolean => error instanceof ApiError && error.status === 401

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** A request body as JSON text with the field names of the API, so that the user can copy it. */
export const asJson = (body: unknown): string => JSON.stringify(mapKeys(body, snake), null, 2)
