// Which files belong to a scraper.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { sourceFilesOf } from './source-files.ts'

test('a scraper in a checkout consists of its own files, without the program that it imports', () => {
  const shelf = join(import.meta.dirname, '../../../examples/five-scrapers/scrapers/shelf.ts')
  assert.deepEqual(sourceFilesOf(shelf), [shelf])
})
