// Tests identities: the plain identity, stealth identities for a given Chrome version, and devices by name.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../../model/failures.ts'
import { deviceNames, deviceOf } from './devices.ts'
import { identityMaker, type SessionRequest } from './identity.ts'
import { hintHeaders } from './identity-hints.ts'
import { desktopHints, ownPlatform } from './identity-systems.ts'

const version = '156.0.8078.79'
const userAgent = 'kscrape/0.1.0 (+https://scrape.example/bot)'
const loadProfiles = async () => () => ({
  screen: { width: 1_920, height: 1_080 },
  deviceScaleFactor: 1,
  platformVersion: '',
})
const make = (request: Partial<SessionRequest>) =>
  identityMaker({ userAgent, loadProfiles })({ browser: 'plain', mobile: false, version, ...request })

/** The `sec-ch-ua` header that real browsers of these versions sent. */
const sentByChrome = {
  120: '"Not_A Brand";v="8", "Chromium";v="120", "Google Chrome";v="120"',
  131: '"Google Chrome";v="131", "Chromium";v="131", "Not_A Brand";v="24"',
  147: '"Google Chrome";v="147", "Not.A/Brand";v="8", "Chromium";v="147"',
}

for (const [major, expected] of Object.entries(sentByChrome)) {
  test(`the brands of Chrome ${major} equal those of the real browser`, () => {
    const browserVersion = `${major}.0.1.2`
    const product = { brand: 'Google Chrome', version: major, fullVersion: browserVersion }
    assert.equal(
      hintHeaders({ ...desktopHints('linux', ''), browserVersion, product })['sec-ch-ua'],
      expected,
    )
  })
}

test('a plain identity names kscrape at the end of its user agent and among its brands', async () => {
  const identity = await make({})
  assert.match(
    identity.userAgent,
    /^Mozilla\/5\.0 \(.+\) .+ Chrome\/156\.0\.0\.0 Safari\/537\.36 kscrape\/0\.1\.0 \(\+https:/,
  )
  assert.match(identity.headers['sec-ch-ua']!, /"kscrape";v="0"/)
  assert.match(identity.headers['sec-ch-ua-full-version-list']!, /"kscrape";v="0\.1\.0"/)
  assert.equal(identity.platform, ownPlatform())
  assert.equal(identity.geolocation, null)
})

test('a user agent that a job sets is sent unchanged, without client hints that contradict it', async () => {
  const whole = 'Mozilla/5.0 (compatible; Examiner/2.0; +https://example.com/bot)'
  const identity = await make({ userAgent: whole })
  assert.equal(identity.userAgent, whole)
  assert.deepEqual(identity.headers, {})
})

test('browser profiles are not loaded for a plain identity', async () => {
  const identityFor = identityMaker({ userAgent, loadProfiles: () => assert.fail('loaded') })
  await identityFor({ browser: 'plain', mobile: 'iPad', version })
})

test('a stealth identity does not mention kscrape', async () => {
  assert.doesNotMatch(JSON.stringify(await make({ browser: 'stealth' })), /kscrape/)
})

test('a device is found in any letter case, and the error for an unknown name lists the known ones', () => {
  assert.equal(deviceOf('pixel 7').name, 'Pixel 7')
  assert.equal(deviceOf(true).name, deviceNames[0])
  assert.throws(() => deviceOf('Pixle 7'), /did you mean "Pixel 7".*iPhone 15/s)
})

test('stealth does not imitate a device whose browser has another engine', async () => {
  await assert.rejects(make({ browser: 'stealth', mobile: 'iPhone 15' }), (error: unknown) => {
    assert.ok(error instanceof Failure && error.code === 'input.invalid')
    assert.match(error.message, /iPhone 15.*Pixel 7/)
    return true
  })
  assert.match((await make({ mobile: 'iPhone 15' })).userAgent, /iPhone.*CriOS\/156.*kscrape/)
})

test('a session has the same browser properties in every process, and two sessions have different ones', async () => {
  const looksOf = async (session: string, mobile: SessionRequest['mobile'] = false) => {
    const made = identityMaker({ userAgent })
    // Makes another identity first, to show that the result does not depend on the order.
    await made({ browser: 'stealth', mobile, version, session: `before-${Math.random()}`, region: 'US' })
    const request = { browser: 'stealth', mobile, version, session, region: 'US' } as const
    const { id: _first, ...looks } = await made(request)
    const { id: _second, ...again } = await made(request)
    assert.deepEqual(again, looks)
    return looks
  }
  for (const mobile of [false, 'Pixel 7'] as const) {
    assert.deepEqual(await looksOf('ann', mobile), await looksOf('ann', mobile))
    assert.notDeepEqual((await looksOf('ann', mobile)).viewport, (await looksOf('bob', mobile)).viewport)
  }
})

test('nearly every session has a different window size', async () => {
  const made = identityMaker({ userAgent, loadProfiles })
  const sizes = new Set<string>()
  for (let index = 0; index < 200; index++) {
    const request = { browser: 'stealth', mobile: false, version, session: `session-${index}` } as const
    const { viewport } = await made(request)
    sizes.add(`${viewport.width}x${viewport.height}`)
  }
  assert.ok(sizes.size > 190, `${sizes.size} sizes of 200`)
})
