// Tests which files belong to a scraper.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { sourceFilesOf } from './source-files.ts'

test('in a checkout, the files of a scraper do not include the program that it imports', () => {
  const shelf = join(import.meta.dirname, '../../../examples/five-scrapers/scrapers/shelf.ts')
  assert.deepEqual(sourceFilesOf(shelf), [shelf])
})
