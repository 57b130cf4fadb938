// Keys of a service: create, list, revoke. Needs the scope `admin`.

import type { NewKeyInput } from '../model/access.ts'
import type { KeyShown } from '../model/api/service.ts'
import { type Connection, pathTo } from './connection.ts'

export type { KeyShown }

export class Keys {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Creates a key. `key` is returned only by this call. */
  create(key: NewKeyInput = {}): Promise<KeyShown & { key: string }> {
    return this.#connection.json('/keys', { body: key })
  }

  async list(): Promise<KeyShown[]> {
    return (await this.#connection.json<{ keys: KeyShown[] }>('/keys')).keys
  }

  revoke(keyId: string): Promise<KeyShown> {
    return this.#connection.json(pathTo`/keys/${keyId}`, { method: 'DELETE' })
  }
}
