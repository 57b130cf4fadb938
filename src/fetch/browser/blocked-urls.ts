// Converts the `block` option to URL patterns: file names for images, fonts and media, hosts for ads.
import type { Blockable } from '../../model/policy/rendering.ts'

const endings: Record<Exclude<Blockable, 'ads'>, string[]> = {
  images: ['png', 'jpg', 'jpeg', 'gif', 'webp', 'avif', 'svg', 'ico', 'bmp'],
  fonts: ['woff2', 'woff', 'ttf', 'otf', 'eot'],
  media: [
    'mp4',
    'webm',
    'm4v',
    'mov',
    'mp3',
    'm4a',
    'ogg',
    'oga',
    'ogv',
    'wav',
    'aac',
    'flac',
    'm3u8',
    'mpd',
  ],
}

/** Well-known ad and analytics servers. */
const adHosts = [
  '2mdn.net',
  'adform.net',
  'adnxs.com',
  'adsafeprotected.com',
  'adsrvr.org',
  'amazon-adsystem.com',
  'casalemedia.com',
  'chartbeat.com',
  'criteo.com',
  'criteo.net',
  'doubleclick.net',
  'doubleverify.com',
  'google-analytics.com',
  'googleadservices.com',
  'googlesyndication.com',
  'googletagmanager.com',
  'googletagservices.com',
  'hotjar.com',
  'moatads.com',
  'openx.net',
  'outbrain.com',
  'pubmatic.com',
  'quantserve.com',
  'rubiconproject.com',
  'scorecardresearch.com',
  'smartadserver.com',
  'taboola.com',
  'teads.tv',
]

/** URL patterns in the format of Network.setBlockedURLs. */
export function blockedPatterns(block: readonly Blockable[]): string[] {
  return block.flatMap(kind =>
    kind === 'ads'
      ? adHosts.map(host => `*://{*.}?${host}:*/*`)
      : endings[kind].map(ending => `*://*:*/*.${ending}`),
  )
}
