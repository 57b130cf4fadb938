// Tests that the description of a session contains no secrets.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SessionInfo } from '../../roles/sessions.ts'
import { factsOf, holds } from './login.ts'

const cookie = (name: string, domain: string) =>
  ({
    name,
    domain,
    value: 'sesame',
    path: '/',
    expires: -1,
    httpOnly: true,
    secure: true,
    sameSite: 'Lax',
  }) as const
const state = {
  cookies: [cookie('sid', '.shop.example'), cookie('lang', 'shop.example'), cookie('x', 'cdn.example')],
  origins: [{ origin: 'https://shop.example', localStorage: [{ name: 'token', value: 'sesame' }] }],
}

test('the description of a session names each of its sites once', () => {
  const text = holds(state as never)
  assert.match(text, /3 cookies/)
  assert.equal(text.match(/shop\.example/g)?.length, 1)
  assert.match(text, /cdn\.example/)
  assert.match(text, /1 site\b/)
})

test('the description of a session names at most five sites, and does not mention empty storage', () => {
  const cookies = Array.from({ length: 7 }, (_, n) => cookie('a', `s${n}.example`))
  const text = holds({ cookies, origins: [] } as never)
  assert.match(text, /s4\.example/)
  assert.doesNotMatch(text, /s5\.example|storage/)
  assert.doesNotMatch(holds({ cookies: [], origins: [] }), /example/)
})

test('the JSON output of a session names its cookies and counts its storage, without values', () => {
  const facts = factsOf({ name: 'shop', savedAt: 0, state } as unknown as SessionInfo)
  assert.equal(facts.kept_at, '1970-01-01T00:00:00.000Z')
  assert.deepEqual(facts.storage, [{ origin: 'https://shop.example', entries: 1 }])
  assert.deepEqual(facts.cookies[0], { name: 'sid', domain: '.shop.example', path: '/', expires: -1 })
  assert.doesNotMatch(JSON.stringify(facts), /sesame/)
})
