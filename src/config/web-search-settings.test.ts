// Tests that the address of the search engine contains no secret, because it may be shown.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settingsSchema } from './settings.ts'

test('an address of the search engine with a user name or a password is refused', () => {
  const isValid = (searxngUrl: string) => settingsSchema.safeParse({ searxngUrl }).success
  assert.equal(isValid('http://127.0.0.1:8888/search?q=a@b'), true)
  for (const url of ['http://user:secret@127.0.0.1:8888/', 'https://user@search.example/'])
    assert.equal(isValid(url), false, url)
})
