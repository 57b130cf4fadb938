// The honest identity: the browser that really runs, on the system that it really runs on, and who drives it.
import { randomUUID } from 'node:crypto'
import type { Identity, Rendering } from '../../../model/policy/rendering.ts'
import { type Device, deviceOf } from './devices.ts'
import { chromeUserAgent, type Hints, hintHeaders, majorOf } from './identity-hints.ts'
import { homeOf } from './identity-regions.ts'
import {
  desktopHints,
  deviceHints,
  deviceUserAgent,
  deviceWindow,
  ownPlatform,
  ownSystem,
  systems,
} from './identity-systems.ts'

export interface PlainOptions {
  /** Ours, with a contact, as plain requests send it. */
  userAgent: string
  browserVersion: string
  mobile: Rendering['mobile']
}

/** As most pages are made for. */
function laptop() {
  const size = { width: 1_280, height: 800 }
  const viewport = { ...size, deviceScaleFactor: 1, isMobile: false, hasTouch: false }
  return { viewport, screen: size, platform: ownPlatform() }
}

/**
 * Websites look for Chrome's words before they hand out what a browser can show, so ours come behind them, as those of
 * search engines do; client hints name us as a brand. A user agent that is whole by itself is taken as it is.
 */
export function plainIdentity({ userAgent, browserVersion, mobile }: PlainOptions): Identity {
  const device = mobile === false ? null : deviceOf(mobile)
  const isWhole = userAgent.startsWith('Mozilla/')
  const hasHints = !isWhole && device?.system !== 'ios'
  return {
    id: randomUUID(),
    userAgent: isWhole ? userAgent : `${engineOf(device, browserVersion)} ${userAgent}`,
    headers: hasHints
      ? hintHeaders({ ...hintsOf(device), browserVersion, product: productOf(userAgent) })
      : {},
    ...(device === null ? laptop() : deviceWindow(device)),
    ...homeOf(null, Math.random),
  }
}

function engineOf(device: Device | null, browserVersion: string): string {
  if (device !== null) return deviceUserAgent(device, browserVersion)
  return chromeUserAgent(systems[ownSystem()].token, browserVersion)
}

const hintsOf = (device: Device | null) =>
  device === null ? desktopHints(ownSystem(), '') : deviceHints(device, device.systemVersion)

/** `kscrape/0.1.0 (+https://…)`: the brand is `kscrape`, its version `0`. */
function productOf(userAgent: string): Hints['product'] {
  const [, brand, version = '0'] = /^([\w.-]+)(?:\/(\d[\d.]*))?/.exec(userAgent) ?? []
  return brand === undefined ? null : { brand, version: majorOf(version), fullVersion: version }
}
