// Makes a tab say who its identity is: user agent and client hints, window, language, time zone, place.
import type { Identity } from '../../../model/policy/rendering.ts'
import type { Session } from './connection.ts'
import type { UserAgentMetadata } from './protocol.ts'

/**
 * Nobody looks at the window, so it is painted this small: that takes a third off the cost of a page. The page itself cannot tell, since
 * layout, sizes and frames are those of the whole viewport, and pictures are painted anew in full size, byte for byte the same.
 */
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
    // One renderer has one locale; a second tab of the same identity in it is told that it is set already.
    session.send('Emulation.setLocaleOverride', { locale: identity.locale }).catch(() => {}),
    geolocation && session.send('Emulation.setGeolocationOverride', { ...geolocation, accuracy: 50 }),
  ])
}

/** What a frame in a process of its own does not have from its tab. */
export const emulateInFrame = (session: Session, identity: Identity): Promise<unknown> =>
  Promise.allSettled([
    session.send('Emulation.setUserAgentOverride', userAgentOf(identity)),
    identity.viewport.hasTouch && session.send('Emulation.setTouchEmulationEnabled', { enabled: true }),
    session.send('Emulation.setTimezoneOverride', { timezoneId: identity.timeZone }),
    session.send('Emulation.setLocaleOverride', { locale: identity.locale }),
    identity.geolocation &&
      session.send('Emulation.setGeolocationOverride', { ...identity.geolocation, accuracy: 50 }),
  ])

export function userAgentOf(identity: Identity) {
  const metadata = metadataOf(identity)
  return {
    userAgent: identity.userAgent,
    acceptLanguage: identity.languages.join(','),
    platform: identity.platform,
    ...(metadata !== null && { userAgentMetadata: metadata }),
  }
}

/** Client hints come from the browser itself, so it has to be told what the identity's headers say. */
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

/** `"Chromium";v="156", "Not=A?Brand";v="8"` */
function brandsOf(header = ''): Array<{ brand: string; version: string }> {
  return [...header.matchAll(/"([^"]*)";v="([^"]*)"/g)].map(([, brand, version]) => ({
    brand: brand!,
    version: version!,
  }))
}

const unquoted = (header = '') => header.replace(/^"|"$/g, '')

/** What of an identity's headers the browser does not write itself. */
export function furtherHeaders({ headers }: Identity): Record<string, string> {
  const own = /^(sec-|user-agent$|accept(-|$)|connection$|host$|upgrade-)/
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !own.test(name.toLowerCase())))
}
