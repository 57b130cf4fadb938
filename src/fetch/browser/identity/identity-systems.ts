// Operating systems, as user agents, `navigator.platform` and client hints name them.
import type { Device } from './devices.ts'
import { chromeUserAgent, type Hints } from './identity-hints.ts'
import type { DesktopSystem } from './identity-profiles.ts'

interface SystemNames {
  /** The text in the parentheses of the user agent. */
  token: string
  platform: string
  hint: string
  architecture: string
}

export const systems: Record<DesktopSystem, SystemNames> = {
  linux: { token: 'X11; Linux x86_64', platform: 'Linux x86_64', hint: 'Linux', architecture: 'x86' },
  windows: { token: 'Windows NT 10.0; Win64; x64', platform: 'Win32', hint: 'Windows', architecture: 'x86' },
  macos: {
    token: 'Macintosh; Intel Mac OS X 10_15_7',
    platform: 'MacIntel',
    hint: 'macOS',
    architecture: 'arm',
  },
}

/** The system of this machine. Other Unix systems count as Linux. */
export function ownSystem(platform: NodeJS.Platform = process.platform): DesktopSystem {
  if (platform === 'darwin') return 'macos'
  return platform === 'win32' ? 'windows' : 'linux'
}

export function ownPlatform(): string {
  const system = ownSystem()
  return system === 'linux' && process.arch === 'arm64' ? 'Linux aarch64' : systems[system].platform
}

type SystemHints = Omit<Hints, 'product' | 'browserVersion'>

export function desktopHints(system: DesktopSystem, platformVersion: string): SystemHints {
  const { hint: platform, architecture } = systems[system]
  return { isMobile: false, platform, platformVersion, architecture, bitness: '64', model: '' }
}

export function deviceHints({ isTablet, model }: Device, platformVersion: string): SystemHints {
  const unsaid = { architecture: '', bitness: '' }
  return { isMobile: !isTablet, platform: 'Android', platformVersion, model, ...unsaid }
}

/** The user agent of a device. Chrome on Android no longer puts the device and system version into its user agent. On
 *  iOS, Chrome uses Safari's engine, and its user agent says so. */
export function deviceUserAgent(
  { system, systemVersion, model, isTablet }: Device,
  browserVersion: string,
): string {
  if (system === 'android') return chromeUserAgent('Linux; Android 10; K', browserVersion, !isTablet)
  const version = systemVersion.replace('.', '_')
  const token = model === 'iPad' ? `iPad; CPU OS ${version}` : `iPhone; CPU iPhone OS ${version}`
  return `Mozilla/5.0 (${token} like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/${browserVersion} Mobile/15E148 Safari/604.1`
}

export function deviceWindow({ width, height, screen, deviceScaleFactor, system, model }: Device) {
  const platform = system === 'android' ? 'Linux armv81' : model
  return { viewport: { width, height, deviceScaleFactor, isMobile: true, hasTouch: true }, screen, platform }
}
