// Phones and tablets to emulate: their windows and user agents.
import { didYouMean } from '../../../lib/text/suggest.ts'
import { Failure } from '../../../model/failures.ts'

export interface Device {
  name: string
  /** Size of the viewport in CSS pixels, in portrait orientation. */
  width: number
  height: number
  screen: { width: number; height: number }
  deviceScaleFactor: number
  /** Browsers on `ios` use another engine than Chromium. Their layouts can be emulated, but stealth would be detected. */
  system: 'android' | 'ios'
  isTablet: boolean
  /** The model as client hints name it. */
  model: string
  systemVersion: string
}

const phone = { isTablet: false, system: 'android', systemVersion: '16.0.0' } as const
const tablet = { ...phone, isTablet: true } as const
const apple = { system: 'ios', systemVersion: '18.5' } as const

/** The first device is the default: `mobile: true` selects it. */
const devices: readonly Device[] = [
  {
    ...phone,
    name: 'Pixel 7',
    model: 'Pixel 7',
    width: 412,
    height: 839,
    screen: size(412, 915),
    deviceScaleFactor: 2.625,
  },
  {
    ...phone,
    name: 'Pixel 5',
    model: 'Pixel 5',
    width: 393,
    height: 727,
    screen: size(393, 851),
    deviceScaleFactor: 2.75,
    systemVersion: '14.0.0',
  },
  {
    ...phone,
    name: 'Galaxy S24',
    model: 'SM-S921U',
    width: 360,
    height: 672,
    screen: size(360, 780),
    deviceScaleFactor: 3,
  },
  {
    ...phone,
    name: 'Galaxy A55',
    model: 'SM-A556B',
    width: 480,
    height: 932,
    screen: size(480, 1_040),
    deviceScaleFactor: 2.25,
  },
  {
    ...tablet,
    name: 'Galaxy Tab S9',
    model: 'SM-X710',
    width: 640,
    height: 948,
    screen: size(640, 1_024),
    deviceScaleFactor: 2.5,
  },
  {
    ...apple,
    name: 'iPhone 15',
    model: 'iPhone',
    isTablet: false,
    width: 393,
    height: 659,
    screen: size(393, 852),
    deviceScaleFactor: 3,
  },
  {
    ...apple,
    name: 'iPhone SE',
    model: 'iPhone',
    isTablet: false,
    width: 375,
    height: 553,
    screen: size(375, 667),
    deviceScaleFactor: 2,
  },
  {
    ...apple,
    name: 'iPad',
    model: 'iPad',
    isTablet: true,
    width: 820,
    height: 1_106,
    screen: size(820, 1_180),
    deviceScaleFactor: 2,
  },
]

function size(width: number, height: number) {
  return { width, height }
}

export const deviceNames: readonly string[] = devices.map(({ name }) => name)

/** Finds a device by name, case-insensitively; `true` selects the default device. Throws an error that lists the known
 *  names. */
export function deviceOf(wanted: string | true): Device {
  if (wanted === true) return devices[0]!
  const found = devices.find(({ name }) => name.toLowerCase() === wanted.toLowerCase())
  if (found !== undefined) return found
  const message = `"${wanted}" is not a known device${didYouMean(wanted, deviceNames)}; known devices: ${deviceNames.join(', ')}`
  throw new Failure('input.invalid', message, { device: wanted })
}
