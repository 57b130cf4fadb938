// The flags of every browser. Users cannot add flags, because a flag can bypass the egress gate.

interface FlagOptions {
  headless: boolean
  /** Chromium has no sandbox when it runs as root. The launcher logs that. */
  isRoot: boolean
  /** Heap limit of one page in MB. The browser ends only the page that exceeds it. */
  maxHeapMb?: number
  /** Frames of other sites run in their own processes. Used for jobs with a session or credentials. */
  keepsSitesApart?: boolean
  /** Languages of the whole browser. For stealth, because pages can detect an emulated language. */
  languages?: readonly string[]
}

const quiet = [
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-breakpad',
  '--disable-client-side-phishing-detection',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-extensions',
  '--disable-field-trial-config',
  '--disable-hang-monitor',
  '--disable-popup-blocking',
  '--disable-prompt-on-repost',
  '--disable-search-engine-choice-screen',
  '--disable-sync',
  '--metrics-recording-only',
  '--mute-audio',
  '--no-pings',
  '--password-store=basic',
  '--use-mock-keychain',
]

/** Blocks all network traffic that would bypass the egress proxy. The headless shell reads the first form of the WebRTC
 *  rule, and the full browser only the second. With only one of them, STUN sends UDP packets to any address. The
 *  resolver rule leaves DNS to the gate. */
const noSideDoors = [
  '--disable-quic',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
]

const container = ['--disable-dev-shm-usage', '--disable-gpu']

/** Flags that let pages in the background run at full speed. */
const awake = [
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  '--disable-ipc-flooding-protection',
]

/** Features of site isolation. They are disabled unless sites must be kept apart, because one renderer per tab saves a
 *  quarter of the memory. Contexts never share a renderer, and a context has only one job and identity. */
const isolationFeatures = ['IsolateOrigins', 'site-per-process']

/** `BackForwardCache` would keep old pages alive after a navigation. Without `RenderDocument`, the next page of the
 *  same site reuses the frame and compositor, which saves a sixth of the cost of a page. The other features contact the
 *  vendor or the user. */
const disabledFeatures = [
  'BackForwardCache',
  'RenderDocument',
  'AcceptCHFrame',
  'AutofillServerCommunication',
  'CertificateTransparencyComponentUpdater',
  'DestroyProfileOnBrowserClose',
  'DialMediaRouteProvider',
  'GlobalMediaControls',
  'InterestFeedContentSuggestions',
  'MediaRouter',
  'OptimizationHints',
  'PaintHolding',
  'PrivacySandboxSettings4',
  'Translate',
]

/** With speculation rules, pages can load further documents in advance. The protocol can neither report nor stop these
 *  requests, so they would bypass the robots.txt check. If these features are off and the prefetch limit is zero,
 *  browsers send no such requests. */
const speculativeFeatures = ['Prerender2', 'Prerender2InHeadlessMode', 'Prerender2FallbackPrefetchSpecRules']
const noPrefetches =
  'PrefetchMultipleActiveSetSizeLimitForBase:prefetch_multiple_active_set_size_limit_for_base_value/0'

export function launchFlags({
  headless,
  isRoot,
  maxHeapMb = 512,
  keepsSitesApart = false,
  languages = [],
}: FlagOptions): string[] {
  const disabled = [
    ...(keepsSitesApart ? [] : isolationFeatures),
    ...disabledFeatures,
    ...speculativeFeatures,
  ]
  return [
    ...quiet,
    ...noSideDoors,
    ...container,
    ...awake,
    keepsSitesApart ? '--site-per-process' : '--disable-site-isolation-trials',
    `--disable-features=${disabled.join(',')}`,
    `--enable-features=${noPrefetches}`,
    `--js-flags=--max-old-space-size=${maxHeapMb}`,
    ...(headless ? ['--headless', '--hide-scrollbars'] : []),
    ...(isRoot ? ['--no-sandbox'] : []),
    ...(languages.length > 0 ? [`--accept-lang=${languages.join(',')}`] : []),
  ]
}
