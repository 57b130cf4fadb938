// Applies an identity to a tab: user agent, client hints, window, language, time zone, location.
import type { Identity } from '../../../model/policy/rendering.ts'
import type { Session } from './connection.ts'
import type { UserAgentMetadata } from './protocol.ts'

/** Scale at which Chromium paints the window. The small scale saves a third of the cost of a page. The page cannot
 *  detect it, because layout and sizes still use the full viewport. Screenshots are painted in full size. */
const paintedScale = 0.02

export async function emulate(session: Session, identity: Identity): Promise<void> {
  const { viewport, screen, geolocation } = identity
  await Promise.all([
    session.send('Emulation.setUserAgentOverride', userAgentOf(identity)),
    session.send('Emulation.setDeviceMetricsOverride', {
      width: viewport.width,
      height: viewport.height,
      deviceScaleFactor: viewport.deviceScaleFactor,
      mobile: viewport.isMobile,
      scale: paintedScale,
      ...(screen && { screenWidth: screen.width, screenHeight: screen.height }),
    }),
    viewport.hasTouch && session.send('Emulation.setTouchEmulationEnabled', { enabled: true }),
    session.send('Emulation.setTimezoneOverride', { timezoneId: identity.timeZone }),
    // A renderer process has one locale. A second tab with the same identity gets an error because the locale is
    // already set.
    session.send('Emulation.setLocaleOverride', { locale: identity.locale }).catch(() => {}),
    geolocation && session.send('Emulation.setGeolocationOverride', { ...geolocation, accuracy: 50 }),
  ])
}

/** Settings that a frame in its own process does not inherit from its tab. */
export const emulateInFrame = (session: Session, identity: Identity): Promise<unknown> =>
  Promise.allSettled([
    session.send('Emulation.setUserAgentOverride', userAgentOf(identity)),
    identity.viewport.hasTouch && session.send('Emulation.setTouchEmulationEnabled', { enabled: true }),
    session.send('Emulation.setTimezoneOverride', { timezoneId: identity.timeZone }),
    session.send('Emulation.setLocaleOverride', { locale: identity.locale }),
    identity.geolocation &&
      session.send('Emulation.setGeolocationOverride', { ...identity.geolocation, accuracy: 50 }),
  ])

export const userAgentOf = (identity: Identity) => ({
  ...hiddenUserAgentOf(identity),
  acceptLanguage: identity.languages.join(','),
})

/** The user agent override without languages. An emulated `Accept-Language` header comes before `Accept`, which reveals
 *  automation. A launch flag sets the languages instead. */
export function hiddenUserAgentOf(identity: Identity) {
  const metadata = metadataOf(identity)
  return {
    userAgent: identity.userAgent,
    platform: identity.platform,
    ...(metadata !== null && { userAgentMetadata: metadata }),
  }
}

/** The user agent metadata, taken from the identity's headers. Chromium builds its client hints from it. */
function metadataOf({ headers, viewport }: Identity): UserAgentMetadata | null {
  const brands = brandsOf(headers['sec-ch-ua'])
  if (brands.length === 0) return null
  const fullVersionList = brandsOf(headers['sec-ch-ua-full-version-list'])
  return {
    brands,
    fullVersionList: fullVersionList.length > 0 ? fullVersionList : brands,
    platform: unquoted(headers['sec-ch-ua-platform']),
    platformVersion: unquoted(headers['sec-ch-ua-platform-version']),
    architecture: unquoted(headers['sec-ch-ua-arch']),
    bitness: unquoted(headers['sec-ch-ua-bitness']),
    model: unquoted(headers['sec-ch-ua-model']),
    mobile: viewport.isMobile,
  }
}

/** Parses a header such as `"Chromium";v="156", "Not=A?Brand";v="8"`. */
function brandsOf(header = ''): Array<{ brand: string; version: string }> {
  return [...header.matchAll(/"([^"]*)";v="([^"]*)"/g)].map(([, brand, version]) => ({
    brand: brand!,
    version: version!,
  }))
}

const unquoted = (header = '') => header.replace(/^"|"$/g, '')

/** Headers of the identity that Chromium does not send itself. */
export function furtherHeaders({ headers }: Identity): Record<string, string> {
  const own = /^(sec-|user-agent$|accept(-|$)|connection$|host$|upgrade-)/
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !own.test(name.toLowerCase())))
}
