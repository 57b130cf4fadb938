// The headers of a browser that opens a page: which there are, in which order, and what they say; none contradicts another.
import type { HeaderGenerator } from 'header-generator'
import { seededRandom, withChance } from '../../../lib/seeded-chance.ts'
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

/** As whom: the same as what the browser of the same identity says. */
export interface BrowserLook {
  /** Of the browser that is used where one is: `156.0.8078.79`. */
  version: string
  mobile: Rendering['mobile']
  /** Country of the proxy; null is where this machine is. */
  region: string | null
}

/** Name, value, name, value: in the order in which the browser writes them. */
export type HeaderPairs = Array<[name: string, value: string]>

/** What it sends to a site, which depends on whether anybody could listen. */
export interface HeaderSet {
  secure: HeaderPairs
  /** A site of this machine: as trusted, and as plain. */
  here: HeaderPairs
  plain: HeaderPairs
}

/** Only over connections that nobody reads along. Sites of this machine count as such. */
const secureOnly = /^sec-(ch|fetch)-|^priority$/

/** What a generator fed with real visits says of the set and its order; what it says of versions is put right. */
export function headerSetOf(generator: Pick<HeaderGenerator, 'getHeaders'>, look: BrowserLook): HeaderSet {
  const own = ownWords(look)
  // One version of a browser writes them in one way, in whichever thread or process that is.
  const sample = withChance(seededRandom(look.version), () => sampleOf(generator))
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

/** Loaded with the first job that asks for it: its data take a moment to read. */
export async function openGenerator(): Promise<HeaderGenerator> {
  const { HeaderGenerator } = await import('header-generator')
  return new HeaderGenerator({ browsers: ['chrome'], devices: ['desktop'], httpVersion: '2' })
}

const wanted = ['sec-ch-ua', 'user-agent', 'accept', 'sec-fetch-mode', 'accept-encoding', 'accept-language']
const maxTries = 50

/** Some of what it learned from are crawlers; those are left aside. */
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

/** As Chrome has sent them for years, should the generator know no better. */
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

/** What has to agree with the browser that really runs, and with what was typed into its address bar. */
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

/** Seen of Chromium 156, and not of 151: newer than what generators have learned. */
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

/** `de-DE,de;q=0.9,en;q=0.8` */
const languagesText = (languages: readonly string[]): string =>
  languages
    .map((language, index) => (index === 0 ? language : `${language};q=${Math.max(1, 10 - index) / 10}`))
    .join(',')

/** HTTP/1 shows how a browser spells its headers. */
const asWritten = (name: string): string =>
  name.startsWith('sec-ch-') ? name : name.replace(/(^|-)[a-z]/g, letter => letter.toUpperCase())
