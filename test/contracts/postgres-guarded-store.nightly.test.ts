// Tests the store with the rights of an API process, under the role with row policies, against the contract.
import { after, before } from 'node:test'
import { migratePostgres, openPostgresStore } from '../../src/adapters/postgres/open.ts'
import { startPostgres, type TestPostgres, undisturbed } from '../support/services/postgres.ts'
import { storeContract } from './store-contract.ts'

let postgres: TestPostgres
before(async () => {
  postgres = await startPostgres(undisturbed)
})
after(() => postgres[Symbol.asyncDispose]())

storeContract('PostgreSQL under row policies', async clock => {
  const url = await postgres.freshUrl()
  await migratePostgres(url)
  await using opened = new AsyncDisposableStack()
  const guarded = opened.use(await openPostgresStore({ url, clock, connections: 4, workspace: () => '*' }))
  // Only the owner of the tables may add triggers, as the leading coordinator does to follow item changes.
  const { itemChanges } = opened.use(await openPostgresStore({ url, clock, connections: 1 }))
  const all = opened.move()
  return { ...guarded, itemChanges, [Symbol.asyncDispose]: () => all.disposeAsync() }
})
