// Tests the store on SQLite against its contract, on a real file.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { openSqliteStore } from '../../src/adapters/sqlite/open.ts'
import { storeContract } from './store-contract.ts'

const directory = mkdtempSync(join(tmpdir(), 'kscrape-store-'))
after(() => rmSync(directory, { recursive: true }))

let opened = 0
storeContract('SQLite', clock => {
  opened += 1
  return openSqliteStore({ path: join(directory, `${opened}.sqlite`), clock })
})
