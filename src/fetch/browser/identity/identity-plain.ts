// The plain identity: the real browser on the real system, with our name in the user agent.
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

interface PlainOptions {
  /** Our user agent with a contact address. Requests without a browser send the same one. */
  userAgent: string
  browserVersion: string
  mobile: Rendering['mobile']
}

/** Window of a common laptop. */
function laptop() {
  const size = { width: 1_280, height: 800 }
  const viewport = { ...size, deviceScaleFactor: 1, isMobile: false, hasTouch: false }
  return { viewport, screen: size, platform: ownPlatform() }
}

/** Many sites serve full pages only if the user agent has Chrome's tokens. So our name follows these tokens, as search
 *  engines do it. Client hints name us as a brand. A user agent that starts with `Mozilla/` is complete and used
 *  unchanged. */
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
