// Tests how cookies pass between a stored session and the cookie jar of a run.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StorageState } from '../../model/policy/rendering.ts'
import { CookieJar } from './cookies.ts'
import { jarCookie, withChanges } from './session-cookies.ts'

const cookie = (name: string, value: string, domain = 'shop.example'): StorageState['cookies'][number] => ({
  name,
  value,
  domain,
  path: '/',
  expires: -1,
  httpOnly: true,
  secure: false,
  sameSite: 'Lax',
})
const state = (...cookies: StorageState['cookies']): StorageState => ({ cookies, origins: [] })
const valuesOf = ({ cookies }: StorageState) =>
  Object.fromEntries(cookies.map(({ name, value }) => [name, value]))

test('cookies of a session are sent as a browser would send them', () => {
  const jar = CookieJar.from([cookie('own', '1'), cookie('wide', '2', '.shop.example')].map(jarCookie))
  assert.equal(jar.headerFor(new URL('http://shop.example/')), 'own=1; wide=2')
  assert.equal(jar.headerFor(new URL('http://www.shop.example/')), 'wide=2')
})

test('cookies that a run changed are merged into the session, and other cookies keep their present values', () => {
  const begun = [cookie('login', 'old'), cookie('gone', 'x'), cookie('same', 'a')].map(jarCookie)
  const jar = CookieJar.from(begun)
  jar.keep(new URL('http://shop.example/'), [
    ['set-cookie', 'login=new; Path=/'],
    ['set-cookie', 'gone=; Path=/; Max-Age=0'],
    ['set-cookie', 'fresh=1; Path=/'],
  ])
  const meanwhile = state(cookie('login', 'old'), cookie('gone', 'x'), cookie('same', 'changed by another'))
  const kept = withChanges(meanwhile, begun, jar.toJSON())
  assert.deepEqual(valuesOf(kept), { same: 'changed by another', login: 'new', fresh: '1' })
})

test('a run that changes nothing leaves the session unchanged', () => {
  const before = state(cookie('a', '1'), cookie('b', '2', '.shop.example'))
  const jar = CookieJar.from(before.cookies.map(jarCookie))
  assert.deepEqual(withChanges(before, before.cookies.map(jarCookie), jar.toJSON()), before)
})
