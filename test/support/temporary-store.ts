// A store on its own file, deleted after the test.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteStore } from '../../src/adapters/sqlite/open.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Store } from '../../src/ports/store.ts'

export interface TemporaryStore extends AsyncDisposable {
  store: Store
}

export async function openTemporaryStore(clock: Clock): Promise<TemporaryStore> {
  const folder = await mkdtemp(join(tmpdir(), 'kscrape-store-'))
  const store = await openSqliteStore({ path: join(folder, 'store.sqlite'), clock })
  return {
    store,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
