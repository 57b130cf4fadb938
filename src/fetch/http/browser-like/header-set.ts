// The headers that a browser sends when it opens a page, consistent with each other and in the browser's order.
import type { HeaderGenerator } from 'header-generator'
import { seededRandom, withRandom } from '../../../lib/seeded-random.ts'
import type { Rendering } from '../../../model/policy/rendering.ts'
import { deviceOf } from '../../browser/identity/devices.ts'
import { chromeUserAgent, hintHeaders, majorOf } from '../../browser/identity/identity-hints.ts'
import { homeOf } from '../../browser/identity/identity-regions.ts'
import {
  desktopHints,
  deviceHints,
  deviceUserAgent,
  ownSystem,
  systems,
} from '../../browser/identity/identity-systems.ts'

/** The browser to imitate. A real browser with the same identity sends the same values. */
interface BrowserLook {
  /** Version of the browser in use, such as `156.0.8078.79`. */
  version: string
  mobile: Rendering['mobile']
  /** Country of the proxy. Null means the location of this machine. */
  region: string | null
}

/** Headers in the browser's order. */
export type HeaderPairs = Array<[name: string, value: string]>

/** The headers for a site. They depend on whether the browser trusts the connection. */
export interface HeaderSet {
  secure: HeaderPairs
  /** For sites on loopback: trusted, but without TLS. */
  here: HeaderPairs
  plain: HeaderPairs
}

/** Headers that browsers send only over trusted connections. Loopback counts as trusted. */
const secureOnly = /^sec-(ch|fetch)-|^priority$/

/** The generator was trained on real browsers and yields the headers and their order. Values that depend on the version
 *  are replaced. */
export function headerSetOf(generator: Pick<HeaderGenerator, 'getHeaders'>, look: BrowserLook): HeaderSet {
  const own = ownWords(look)
  // The seed is the version, so that every thread and process gets the same order.
  const sample = withRandom(seededRandom(look.version), () => sampleOf(generator))
  const secure = sample.map(([name, value]): [string, string] => [name, own[name] ?? value])
  const written = secure.map(([name, value]): [string, string] => [asWritten(name), value])
  return {
    secure,
    here: written.filter(([name]) => name !== 'Priority'),
    plain: written
      .filter(([name]) => !secureOnly.test(name.toLowerCase()))
      .map(([name, value]) => [name, name === 'Accept-Encoding' ? 'gzip, deflate' : value]),
  }
}

/** Call for the first job that needs it, because loading the generator's data takes time. */
export async function openGenerator(): Promise<HeaderGenerator> {
  const { HeaderGenerator } = await import('header-generator')
  return new HeaderGenerator({ browsers: ['chrome'], devices: ['desktop'], httpVersion: '2' })
}

const wanted = ['sec-ch-ua', 'user-agent', 'accept', 'sec-fetch-mode', 'accept-encoding', 'accept-language']
const maxTries = 50

/** Draws a sample that belongs to Chrome. The training data also contains crawlers, which are skipped. */
function sampleOf(generator: Pick<HeaderGenerator, 'getHeaders'>): HeaderPairs {
  for (let attempt = 0; attempt < maxTries; attempt++) {
    const headers = Object.entries(generator.getHeaders()).map(([name, value]): [string, string] => [
      name.toLowerCase(),
      value,
    ])
    if (isUsual(new Map(headers))) return withPriority(headers)
  }
  return withPriority(usual)
}

const isUsual = (headers: Map<string, string>): boolean =>
  wanted.every(name => headers.has(name)) && !/compatible|bot|\+http/i.test(headers.get('user-agent')!)

const withPriority = (headers: HeaderPairs): HeaderPairs =>
  headers.some(([name]) => name === 'priority') ? headers : [...headers, ['priority', 'u=0, i']]

/** Headers that Chrome has sent for years. Used if the generator yields no usable sample. */
const usual: HeaderPairs = [
  ['sec-ch-ua', ''],
  ['sec-ch-ua-mobile', ''],
  ['sec-ch-ua-platform', ''],
  ['upgrade-insecure-requests', '1'],
  ['user-agent', ''],
  [
    'accept',
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
  ],
  ['sec-fetch-site', 'none'],
  ['sec-fetch-mode', 'navigate'],
  ['sec-fetch-user', '?1'],
  ['sec-fetch-dest', 'document'],
  ['accept-encoding', 'gzip, deflate, br, zstd'],
  ['accept-language', ''],
]

/** Header values that depend on the imitated browser, for a page that the user opens from the address bar. */
function ownWords({ version, mobile, region }: BrowserLook): Record<string, string> {
  const { userAgent, hints } = machineOf(version, mobile)
  const said = hintHeaders({
    ...hints,
    browserVersion: version,
    product: { brand: 'Google Chrome', version: majorOf(version), fullVersion: version },
  })
  const { languages } = homeOf(region, () => 0)
  return {
    'user-agent': userAgent,
    'sec-ch-ua': said['sec-ch-ua']!,
    'sec-ch-ua-mobile': said['sec-ch-ua-mobile']!,
    'sec-ch-ua-platform': said['sec-ch-ua-platform']!,
    ...(Number(majorOf(version)) >= jxlSince && { accept: acceptWithJxl }),
    'sec-fetch-site': 'none',
    'accept-encoding': 'gzip, deflate, br, zstd',
    'accept-language': languagesText(languages),
  }
}

/** First major version that accepts JPEG XL: observed in Chromium 156, not in 151. The generator's data is older. */
const jxlSince = 156
const acceptWithJxl =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/jxl,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7'

function machineOf(version: string, mobile: Rendering['mobile']) {
  if (mobile === false) {
    const system = ownSystem()
    return { userAgent: chromeUserAgent(systems[system].token, version), hints: desktopHints(system, '') }
  }
  const device = deviceOf(mobile)
  return { userAgent: deviceUserAgent(device, version), hints: deviceHints(device, device.systemVersion) }
}

/** For example `de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7`. */
const languagesText = (languages: readonly string[]): string =>
  languages
    .map((language, index) => (index === 0 ? language : `${language};q=${Math.max(1, 10 - index) / 10}`))
    .join(',')

/** The letter case in which browsers write header names over HTTP/1.1. */
const asWritten = (name: string): string =>
  name.startsWith('sec-ch-') ? name : name.replace(/(^|-)[a-z]/g, letter => letter.toUpperCase())
