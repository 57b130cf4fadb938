// Samples realistic desktop machines. Screen sizes and system versions come from a generator that was trained on real
// browsers.
import type { FingerprintGenerator } from 'fingerprint-generator'
import { withRandom } from '../../../lib/seeded-random.ts'

export type DesktopSystem = 'linux' | 'windows' | 'macos'

export interface Desktop {
  screen: { width: number; height: number }
  deviceScaleFactor: number
  platformVersion: string
}

/** Heights in pixels of the window frame, tabs and address bar together. */
const frameHeights = [85, 87, 93, 110, 121, 129, 139]
const windowLimits = { minWidth: 1_280, maxWidth: 1_920, minHeight: 720, maxHeight: 1_080 }

const usual: Record<DesktopSystem, Desktop> = {
  linux: { screen: { width: 1_920, height: 1_080 }, deviceScaleFactor: 1, platformVersion: '' },
  windows: { screen: { width: 1_920, height: 1_080 }, deviceScaleFactor: 1, platformVersion: '19.0.0' },
  macos: { screen: { width: 1_680, height: 1_050 }, deviceScaleFactor: 2, platformVersion: '26.3.1' },
}

/** Maximum number of samples that are drawn to find a usable one. */
const maxTries = 100

/** Samples one desktop machine. The same random source yields the same machine. */
export type SampleDesktop = (system: DesktopSystem, random: () => number) => Desktop

/** Loads the generator, which takes 0.2 s and 40 MB. Call this only for the first stealth identity. */
export async function openProfiles(): Promise<SampleDesktop> {
  const { FingerprintGenerator } = await import('fingerprint-generator')
  const generator = new FingerprintGenerator({ browsers: ['chrome'], devices: ['desktop'] })
  return (system, random) => withRandom(random, () => sample(generator, system))
}

function sample(generator: FingerprintGenerator, system: DesktopSystem): Desktop {
  for (let attempt = 0; attempt < maxTries; attempt++) {
    const desktop = desktopFrom(generator, system)
    if (desktop === null) break
    if (isUsable(desktop, system)) return desktop
  }
  return usual[system]
}

/** Null if the generator fails. Its data has gaps, and it throws after ten failed draws. */
function desktopFrom(generator: FingerprintGenerator, system: DesktopSystem): Desktop | null {
  try {
    const { screen, navigator } = generator.getFingerprint({ operatingSystems: [system] }).fingerprint
    return {
      screen: { width: screen.width, height: screen.height },
      deviceScaleFactor: screen.devicePixelRatio,
      platformVersion: navigator.userAgentData?.platformVersion ?? '',
    }
  } catch {
    return null
  }
}

/** Rejects rare screens, because they would make a session identifiable. */
function isUsable({ screen, deviceScaleFactor, platformVersion }: Desktop, system: DesktopSystem): boolean {
  const { minWidth, maxWidth, minHeight, maxHeight } = windowLimits
  const tallestFrame = frameHeights.at(-1)!
  if (screen.width < minWidth || screen.width > maxWidth) return false
  if (screen.height < minHeight + tallestFrame || screen.height > maxHeight) return false
  if (![1, 1.25, 1.5, 2].includes(deviceScaleFactor)) return false
  return system === 'linux' ? platformVersion === '' : /^\d+\.\d+\.\d+$/.test(platformVersion)
}

/** Largest difference in pixels between the window and the screen. */
const mostSpare = { width: 160, height: 120 }

/** A random window size for this screen, because real users rarely use the same window size. */
export function windowOn({ screen }: Desktop, random: () => number): { width: number; height: number } {
  const frame = frameHeights[Math.floor(random() * frameHeights.length)]!
  const spare = (room: number, most: number) => Math.floor(random() * (Math.min(room, most) + 1))
  const { minWidth, minHeight } = windowLimits
  return {
    width: screen.width - spare(screen.width - minWidth, mostSpare.width),
    height: screen.height - frame - spare(screen.height - frame - minHeight, mostSpare.height),
  }
}
