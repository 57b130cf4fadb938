// The user agent and client hints of a given Chromium version.

interface Brand {
  brand: string
  version: string
}

export interface Hints {
  /** The brand besides `Chromium`, with its versions; null for plain Chromium. */
  product: { brand: string; version: string; fullVersion: string } | null
  /** For example `156.0.8078.79`. */
  browserVersion: string
  isMobile: boolean
  /** One of `Linux`, `Windows`, `macOS`, `Android`. */
  platform: string
  platformVersion: string
  architecture: string
  bitness: string
  model: string
}

export const majorOf = (version: string): string => version.split('.', 1)[0]!

/** The user agent of Chrome. Since Chrome 110, only the platform and the major version vary in it. */
export function chromeUserAgent(platformToken: string, browserVersion: string, isPhone = false): string {
  const mobile = isPhone ? ' Mobile' : ''
  return `Mozilla/5.0 (${platformToken}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${majorOf(browserVersion)}.0.0.0${mobile} Safari/537.36`
}

/** Client hints as headers. Drivers derive `navigator.userAgentData` from them. */
export function hintHeaders(hints: Hints): Record<string, string> {
  const { browserVersion } = hints
  return {
    'sec-ch-ua': listOf(brandsOf(hints, majorOf(browserVersion), ({ version }) => version)),
    'sec-ch-ua-full-version-list': listOf(brandsOf(hints, browserVersion, ({ fullVersion }) => fullVersion)),
    'sec-ch-ua-mobile': hints.isMobile ? '?1' : '?0',
    'sec-ch-ua-platform': quoted(hints.platform),
    'sec-ch-ua-platform-version': quoted(hints.platformVersion),
    'sec-ch-ua-arch': quoted(hints.architecture),
    'sec-ch-ua-bitness': quoted(hints.bitness),
    'sec-ch-ua-model': quoted(hints.model),
  }
}

type Product = NonNullable<Hints['product']>

/** Brands as Chrome lists them. Chrome adds a fake brand and varies the order, so that sites do not rely on them. Both
 *  depend only on the major version, so sites could detect a wrong value. */
function brandsOf(
  { product, browserVersion }: Hints,
  chromiumVersion: string,
  versionOf: (product: Product) => string,
) {
  const seed = Number(majorOf(browserVersion))
  const noise: Brand = noiseOf(seed, chromiumVersion.includes('.'))
  const chromium: Brand = { brand: 'Chromium', version: chromiumVersion }
  if (product === null) return seed % 2 === 0 ? [noise, chromium] : [chromium, noise]
  const places = orders[seed % orders.length]!
  const brands: Brand[] = []
  brands[places[0]] = noise
  brands[places[1]] = chromium
  brands[places[2]] = { brand: product.brand, version: versionOf(product) }
  return brands
}

const orders: ReadonlyArray<[noise: number, chromium: number, product: number]> = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
]

const noiseCharacters = [' ', '(', ':', '-', '.', '/', ')', ';', '=', '?', '_']
const noiseVersions = ['8', '99', '24']

function noiseOf(seed: number, isFull: boolean): Brand {
  const [first, second] = [seed, seed + 1].map(at => noiseCharacters[at % noiseCharacters.length])
  const version = noiseVersions[seed % noiseVersions.length]!
  return { brand: `Not${first}A${second}Brand`, version: isFull ? `${version}.0.0.0` : version }
}

const listOf = (brands: Brand[]) => brands.map(({ brand, version }) => `"${brand}";v="${version}"`).join(', ')
const quoted = (text: string) => `"${text}"`
