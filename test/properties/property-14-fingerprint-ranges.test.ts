// Property 14: the values of an identity are in the range of real browsers, and match the running browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { deviceNames, deviceOf } from '../../src/fetch/browser/identity/devices.ts'
import { newIdentity } from '../../src/fetch/browser/identity/identity.ts'
import { openProfiles } from '../../src/fetch/browser/identity/identity-profiles.ts'
import { anyRandom, anySystem, anyVersion } from './identities.ts'

const sampleDesktop = await openProfiles()
const userAgent = 'kscrape/0.1.0 (+https://scrape.example/bot)'

/** The form of Chrome's user agents since Chrome reduced them: one form per system, which shows only the major version. */
const frozenAgents = [
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/MAJOR.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/MAJOR.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/MAJOR.0.0.0 Safari/537.36',
]

test('Property 14: a stealth identity has a curated user agent of the running version, and a window of 1280–1920 × 720–1080', () => {
  fc.assert(
    fc.property(anySystem, anyVersion, anyRandom, (system, browserVersion, random) => {
      const identity = newIdentity(
        { kind: 'stealth', browserVersion, mobile: false, userAgent, system },
        { sampleDesktop, random },
      )
      const major = browserVersion.split('.')[0]!
      assert.ok(frozenAgents.includes(identity.userAgent.replace(`Chrome/${major}.`, 'Chrome/MAJOR.')))
      const { width, height, deviceScaleFactor } = identity.viewport
      assert.ok(width >= 1_280 && width <= 1_920 && height >= 720 && height <= 1_080)
      assert.ok(deviceScaleFactor >= 1 && deviceScaleFactor <= 2)
      assert.ok(identity.screen!.width >= width && identity.screen!.height > height)
    }),
  )
})

test('Property 14: client hints agree with the user agent', () => {
  fc.assert(
    fc.property(anySystem, anyVersion, anyRandom, (system, browserVersion, random) => {
      const { headers, userAgent: said } = newIdentity(
        { kind: 'stealth', browserVersion, mobile: false, userAgent, system },
        { sampleDesktop, random },
      )
      const major = browserVersion.split('.')[0]!
      assert.ok(said.includes(`Chrome/${major}.0.0.0`))
      for (const brand of ['Chromium', 'Google Chrome']) {
        assert.ok(headers['sec-ch-ua']!.includes(`"${brand}";v="${major}"`))
        assert.ok(headers['sec-ch-ua-full-version-list']!.includes(`"${brand}";v="${browserVersion}"`))
      }
      const words = {
        linux: ['"Linux"', 'Linux'],
        windows: ['"Windows"', 'Windows'],
        macos: ['"macOS"', 'Mac OS'],
      }
      assert.equal(headers['sec-ch-ua-platform'], words[system][0])
      assert.ok(said.includes(words[system][1]!))
    }),
  )
})

test('Property 14: an emulated device has its own window size, touch, and a mobile user agent of the running version', () => {
  fc.assert(
    fc.property(fc.constantFrom(...deviceNames), anyVersion, (mobile, browserVersion) => {
      const device = deviceOf(mobile)
      const identity = newIdentity(
        { kind: 'plain', browserVersion, mobile, userAgent },
        { sampleDesktop, random: Math.random },
      )
      assert.equal(identity.viewport.width, device.width)
      assert.ok(identity.viewport.isMobile && identity.viewport.hasTouch)
      assert.match(identity.userAgent, /Android|iPhone|iPad/)
      assert.match(identity.userAgent, new RegExp(`(Chrome|CriOS)/${browserVersion.split('.')[0]}\\.`))
    }),
  )
})
