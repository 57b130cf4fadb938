// Tests the store on a real PostgreSQL against its contract.
import { after, before } from 'node:test'
import { migratePostgres, openPostgresStore } from '../../src/adapters/postgres/open.ts'
import { startPostgres, type TestPostgres, undisturbed } from '../support/services/postgres.ts'
import { storeContract } from './store-contract.ts'

let postgres: TestPostgres
before(async () => {
  postgres = await startPostgres(undisturbed)
})
after(() => postgres[Symbol.asyncDispose]())

storeContract('PostgreSQL', async clock => {
  const url = await postgres.freshUrl()
  await migratePostgres(url)
  return openPostgresStore({ url, clock, connections: 4 })
})
