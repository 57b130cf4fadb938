// Tests which credentials are sent to OpenSearch.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settingsSchema } from '../../config/settings.ts'
import { authorizationOf } from './feed-opensearch.ts'

function basicOf(opensearchUrl: string, more = {}): string | null {
  const settings = { ...settingsSchema.parse(more), opensearchUrl }
  const header = authorizationOf(settings)
  return header?.startsWith('Basic ') ? Buffer.from(header.slice(6), 'base64').toString() : header
}

test('the user and password of OpenSearch are taken from the URL and decoded', () => {
  assert.equal(basicOf('https://me:p%40ss@search.example/'), 'me:p@ss')
})

test('in a password, a percent sign that encodes nothing stays unchanged', () => {
  assert.equal(basicOf('https://me:100%@search.example/'), 'me:100%')
})

test('the settings win over the URL of OpenSearch, and an API key wins over both', () => {
  const named = { opensearchUser: 'you', opensearchPassword: 'other' }
  assert.equal(basicOf('https://me:p@search.example/', named), 'you:other')
  assert.equal(basicOf('https://me:p@search.example/', { ...named, opensearchApiKey: 'key' }), 'ApiKey key')
})

test('without a user, kscrape sends no credentials to OpenSearch', () => {
  assert.equal(basicOf('https://search.example/'), null)
})
