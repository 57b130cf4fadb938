// Tests consents beyond the polite defaults, and which keys may give them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../lib/clocks.ts'
import type { Caller } from '../model/access.ts'
import { givenSpec, type JobSpecInput } from '../model/job.ts'
import { consentNotes, isGranted, refuseUnlessGranted } from './consent.ts'
import type { Server } from './parts.ts'

const clock = new FakeClock()

const serverWith = (settings: { consents?: string[]; maxRate?: number; pii?: string } = {}): Server =>
  ({
    settings: { consents: [], pii: 'keep', ...settings },
    parts: {
      ...{ clock, scrapers: { credentialsOf: () => [] } },
      hosts: { usualPace: { rate: 1, burst: 2 } },
    },
  }) as unknown as Server

const callerOf = (scopes: string[], workspace = 'default') =>
  ({ keyId: 'key-1', workspace, scopes, limits: {} }) as unknown as Caller

const notes = (spec: JobSpecInput, caller: Caller, server = serverWith()) =>
  consentNotes(server, caller, givenSpec.parse({ urls: ['https://a.example/'], ...spec }))

const ignoring: JobSpecInput = { policy: { robots: 'ignore' } }

test('an admin key may ask for every consent, which is stored with the key and the time', () => {
  const [note] = notes(ignoring, callerOf(['admin']))
  assert.deepEqual([note?.what, note?.who, note?.at], ['ignore_robots', 'key-1', clock.now()])
})

test('a key without the scope admin needs the scope for a consent, and the operator must allow this consent', () => {
  const scope = notes(ignoring, callerOf(['admin']))[0]!.what
  const asks = (scopes: string[], consents: string[]) => () =>
    notes(ignoring, callerOf(scopes), serverWith({ consents }))
  assert.throws(asks(['submit', scope], []), { code: 'request.forbidden', message: /SCRAPER_CONSENTS/ })
  assert.throws(asks(['submit'], [scope]), { code: 'request.forbidden', message: new RegExp(`"${scope}"`) })
  assert.equal(asks(['submit', scope], [scope])().length, 1)
})

test('a polite job needs no consent and stores none', () => {
  assert.deepEqual(notes({}, callerOf(['submit'])), [])
})

test('a rate up to the operator’s maximum is stored as consent, and a higher rate needs an admin key', () => {
  const asking =
    (rate: number | 'unlimited', scopes = ['submit'], maxRate?: number) =>
    () =>
      notes(
        { policy: { host: { rate } } },
        callerOf(scopes),
        serverWith(maxRate === undefined ? {} : { maxRate }),
      )
  assert.equal(asking(1)()[0]?.value, '1/s')
  assert.throws(asking(1.1), { code: 'request.forbidden', message: /policy\.host\.rate: 1\.1\/s .* 1\/s/ })
  assert.throws(asking('unlimited'), { code: 'request.forbidden' })
  assert.equal(asking(5, ['submit'], 5)().length, 1)
  assert.equal(asking('unlimited', ['admin'])()[0]?.value, 'unlimited')
})

test('a burst above the default is refused', () => {
  const asking = (burst: number) => () => notes({ policy: { host: { burst } } }, callerOf(['submit']))
  assert.deepEqual(asking(2)(), [])
  assert.throws(asking(3), { code: 'request.forbidden', message: /policy\.host\.burst/ })
})

test('secrets of this machine are available only to the operator’s own workspace', () => {
  const spec: JobSpecInput = { actions: [{ type: 'type', selector: 'input', text: '{{secret.key}}' }] }
  assert.throws(() => notes(spec, callerOf(['admin'], 'team')), { message: /secrets of this machine/ })
  assert.doesNotThrow(() => notes(spec, callerOf(['admin'])))
})

test('an API can check a consent in advance, and the refusal names the field of that API', () => {
  const server = serverWith({ consents: ['proxies'] })
  assert.equal(isGranted(server, callerOf(['submit', 'proxies']), 'proxies'), true)
  assert.equal(isGranted(server, callerOf(['submit']), 'proxies'), false)
  assert.throws(() => refuseUnlessGranted(server, callerOf(['submit']), 'proxies', 'options.proxies'), {
    message: /^options\.proxies: /,
  })
})

test('a job needs a scope only if it protects personal data less than the operator’s default', () => {
  const submit = callerOf(['submit'])
  assert.deepEqual(notes({ pii: 'keep' }, submit), [])
  assert.deepEqual(notes({ pii: 'drop' }, submit, serverWith({ pii: 'mask' })), [])
  assert.deepEqual(notes({}, submit, serverWith({ pii: 'drop' })), [])
  const strict = serverWith({ pii: 'keep,team=drop', consents: ['personal_data'] })
  assert.deepEqual(notes({ pii: 'keep' }, submit, strict), [])
  assert.throws(() => notes({ pii: 'mask' }, callerOf(['submit'], 'team'), strict), /scope "personal_data"/)
  const [note] = notes({ pii: 'mask' }, callerOf(['submit', 'personal_data'], 'team'), strict)
  assert.equal(note?.what, 'personal_data')
})
