// Converts colors of style sheets to `#RRGGBB`.

interface Color {
  red: number
  green: number
  blue: number
}

const named: Record<string, string> = {
  ...{ black: '#000000', white: '#ffffff', red: '#ff0000', green: '#008000', blue: '#0000ff' },
  ...{ navy: '#000080', teal: '#008080', purple: '#800080', orange: '#ffa500', yellow: '#ffff00' },
  ...{ gray: '#808080', grey: '#808080', silver: '#c0c0c0', maroon: '#800000', crimson: '#dc143c' },
  ...{ tomato: '#ff6347', gold: '#ffd700', indigo: '#4b0082', darkblue: '#00008b', darkgreen: '#006400' },
  ...{ whitesmoke: '#f5f5f5', lightgray: '#d3d3d3', lightgrey: '#d3d3d3', darkred: '#8b0000' },
  ...{ steelblue: '#4682b4', royalblue: '#4169e1', dodgerblue: '#1e90ff', slategray: '#708090' },
}

/** The first color in a CSS value. Null if the value has no color, such as `inherit`, or if the color is more
 *  transparent than opaque. */
export function colorIn(value: string): string | null {
  const text = value.trim().toLowerCase()
  const hex = /#([0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})\b/.exec(text)?.[1]
  if (hex) return ofHex(hex)
  const call = /(rgb|hsl)a?\(([^()]*)\)/.exec(text)
  if (call) return call[1] === 'rgb' ? ofRgb(call[2]!) : ofHsl(call[2]!)
  const word = text.split(/\s+/).find(each => each in named)
  return word === undefined ? null : named[word]!.toUpperCase()
}

function ofHex(hex: string): string | null {
  const long = hex.length <= 4 ? [...hex].map(digit => digit + digit).join('') : hex
  if (long.length === 8 && Number.parseInt(long.slice(6), 16) < 128) return null
  return `#${long.slice(0, 6).toUpperCase()}`
}

const partsOf = (inside: string): string[] => inside.split(/[\s,/]+/).filter(part => part !== '')

const isClear = (alpha: string | undefined): boolean =>
  alpha !== undefined && (alpha.endsWith('%') ? Number.parseFloat(alpha) / 100 : Number(alpha)) < 0.5

function ofRgb(inside: string): string | null {
  const [red, green, blue, alpha] = partsOf(inside)
  if (blue === undefined || isClear(alpha)) return null
  const channels = [red!, green!, blue].map(part =>
    Math.round(part.endsWith('%') ? Number.parseFloat(part) * 2.55 : Number(part)),
  )
  return channels.every(channel => channel >= 0 && channel <= 255) ? hexOf(channels) : null
}

function ofHsl(inside: string): string | null {
  const [hue, saturation, lightness, alpha] = partsOf(inside)
  if (lightness === undefined || isClear(alpha)) return null
  const [h, s, l] = [hue!, saturation!, lightness].map(Number.parseFloat) as [number, number, number]
  if (![h, s, l].every(Number.isFinite)) return null
  const chroma = (s / 100) * Math.min(l / 100, 1 - l / 100)
  const channel = (offset: number): number => {
    const step = (offset + h / 30) % 12
    return Math.round(255 * (l / 100 - chroma * Math.max(-1, Math.min(step - 3, 9 - step, 1))))
  }
  return hexOf([channel(0), channel(8), channel(4)])
}

const hexOf = (channels: readonly number[]): string =>
  `#${channels.map(channel => channel.toString(16).padStart(2, '0')).join('')}`.toUpperCase()

const channelsOf = (hex: string): Color => ({
  red: Number.parseInt(hex.slice(1, 3), 16),
  green: Number.parseInt(hex.slice(3, 5), 16),
  blue: Number.parseInt(hex.slice(5, 7), 16),
})

/** From 0 for black to 1 for white. */
export function lightnessOf(hex: string): number {
  const { red, green, blue } = channelsOf(hex)
  return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255
}

/** True for colors other than gray, black and white. */
export function isVivid(hex: string): boolean {
  const { red, green, blue } = channelsOf(hex)
  return Math.max(red, green, blue) - Math.min(red, green, blue) >= 48
}
