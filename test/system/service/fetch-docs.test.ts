// Tests that docs/fetch-api.md and docs/uploads.md name every field and state. documents-service.nightly.test.ts runs their examples.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createdUpload, newUploadBody } from '../../../src/model/api/uploads.ts'
import { errorNames } from '../../../src/model/error-names.ts'
import { jobStates } from '../../../src/model/job.ts'
import { snake } from '../../../src/model/letter-case.ts'
import { fetchBody, fetchResult } from '../../../src/server/api/fetch/schemas.ts'

const pageNamed = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../../docs', name), 'utf8')

const fetchPage = pageNamed('fetch-api.md')
const uploadsPage = pageNamed('uploads.md')

test('docs/fetch-api.md has every field and state, and every error that it names exists', () => {
  const options = Object.keys(fetchBody.shape.options.unwrap().unwrap().shape).map(
    name => `options.${snake(name)}`,
  )
  const ofFetch = [
    ...Object.keys(fetchResult.shape).map(snake),
    ...jobStates,
    'links',
    'warnings',
    ...options,
  ]
  const isTold = (page: string) => (word: string) =>
    !page.includes(`\`${word}\``) && !page.includes(`"${word}"`)
  assert.deepEqual(ofFetch.filter(isTold(fetchPage)), [])
  const ofUploads = [...Object.keys(newUploadBody.shape), ...Object.keys(createdUpload.shape)].map(snake)
  assert.deepEqual(ofUploads.filter(isTold(uploadsPage)), [])
  const named = [...fetchPage.matchAll(/`(\w+Error)`/g)].map(([, name]) => name!)
  assert.deepEqual(
    named.filter(name => !Object.values(errorNames).includes(name)),
    [],
  )
})
