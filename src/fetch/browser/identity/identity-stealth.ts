// The stealth identity: looks like one of the many users of the same Chrome version in the proxy's country.
import { randomUUID } from 'node:crypto'
import { Failure } from '../../../model/failures.ts'
import type { Identity, Rendering } from '../../../model/policy/rendering.ts'
import { type Device, deviceNames, deviceOf } from './devices.ts'
import { chromeUserAgent, hintHeaders, majorOf } from './identity-hints.ts'
import { type Desktop, type DesktopSystem, type SampleDesktop, windowOn } from './identity-profiles.ts'
import { homeOf } from './identity-regions.ts'
import { desktopHints, deviceHints, deviceUserAgent, deviceWindow, systems } from './identity-systems.ts'

interface StealthOptions {
  /** Version of the real browser. The features of the browser would reveal any other version. */
  browserVersion: string
  mobile: Rendering['mobile']
  /** Country of the proxy, such as `DE`. Null means the location of this machine. */
  region: string | null
  system: DesktopSystem
}

export interface StealthParts {
  sampleDesktop: SampleDesktop
  random: () => number
}

/** Android versions of phones from the last years. */
const androidVersions = ['13.0.0', '14.0.0', '15.0.0', '16.0.0']

export function stealthIdentity(options: StealthOptions, parts: StealthParts): Identity {
  const { browserVersion, mobile, region, system } = options
  const body =
    mobile === false
      ? desktopFields(system, browserVersion, parts)
      : deviceFields(passableDevice(mobile), browserVersion, parts)
  return { id: randomUUID(), ...body, ...homeOf(region, parts.random) }
}

function desktopFields(
  system: DesktopSystem,
  browserVersion: string,
  { sampleDesktop, random }: StealthParts,
) {
  const desktop: Desktop = sampleDesktop(system, random)
  const { deviceScaleFactor, platformVersion, screen } = desktop
  const hints = desktopHints(system, platformVersion)
  return {
    userAgent: chromeUserAgent(systems[system].token, browserVersion),
    headers: hintHeaders({ ...hints, browserVersion, product: chrome(browserVersion) }),
    viewport: { ...windowOn(desktop, random), deviceScaleFactor, isMobile: false, hasTouch: false },
    screen,
    platform: systems[system].platform,
  }
}

function deviceFields(device: Device, browserVersion: string, { random }: StealthParts) {
  const platformVersion = androidVersions[Math.floor(random() * androidVersions.length)]!
  const hints = deviceHints(device, platformVersion)
  return {
    userAgent: deviceUserAgent(device, browserVersion),
    headers: hintHeaders({ ...hints, browserVersion, product: chrome(browserVersion) }),
    ...lowered(deviceWindow(device), Math.floor(random() * (mostBars + 1))),
  }
}

/** Largest height in pixels of a phone's system bars. The real height depends on the settings of the phone. */
const mostBars = 48

const lowered = (window: ReturnType<typeof deviceWindow>, by: number): ReturnType<typeof deviceWindow> => ({
  ...window,
  viewport: { ...window.viewport, height: window.viewport.height - by },
})

function passableDevice(mobile: string | true): Device {
  const device = deviceOf(mobile)
  if (device.system === 'android') return device
  const others = deviceNames.filter(name => deviceOf(name).system === 'android')
  const message = `Chromium cannot imitate the browser of an ${device.name}; with stealth, choose ${others.join(', ')}, or use the plain browser`
  throw new Failure('input.invalid', message, { device: device.name })
}

const chrome = (browserVersion: string) => ({
  brand: 'Google Chrome',
  version: majorOf(browserVersion),
  fullVersion: browserVersion,
})
