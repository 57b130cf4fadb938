// The flags of every browser. Users cannot add flags, because a flag can bypass the egress gate.

interface FlagOptions {
  headless: boolean
  /** Chromium has no sandbox as root; the log says so. */
  isRoot: boolean
  /** Heap limit of one page. The browser ends only the page that exceeds it. */
  maxHeapMb?: number
  /** Frames of other sites run in their own processes: for jobs with a session or credentials. */
  keepsSitesApart?: boolean
  /** Of all its pages, for browsers whose pages must not notice an emulated language. */
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

/** Closes all ways around the egress proxy. The headless shell knows the first spelling of the WebRTC rule, the full browser
 *  only the second. With only one, STUN sends UDP to any address. Only the gate resolves names. */
const noSideDoors = [
  '--disable-quic',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
]

const container = ['--disable-dev-shm-usage', '--disable-gpu']

/** Background pages run at full speed. */
const awake = [
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  '--disable-ipc-flooding-protection',
]

/** One renderer per tab saves a quarter of the memory. Contexts never share a renderer, and a context has one job and identity. */
const isolationFeatures = ['IsolateOrigins', 'site-per-process']

/** - `BackForwardCache`: left pages would keep running. - `RenderDocument`: reusing the frame and compositor for the next
 *  page of the same site saves a sixth of a page. - The rest contacts the vendor or the user. */
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

/** Pages can load further documents ahead with speculation rules. No command of the protocol sees or stops these requests, so
 *  they would pass the guard that asks robots.txt. Without these features and without room for prefetches there are none. */
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
