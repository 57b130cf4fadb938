// The flags that every browser of ours is started with. Users cannot add any: a flag can open the gate.

export interface FlagOptions {
  headless: boolean
  /** Chromium refuses its sandbox to root; then it runs without, and that is told. */
  isRoot: boolean
  /** Heap of one page's scripts. A page that takes more is ended by the browser, alone. */
  maxHeapMb?: number
  /** Frames of other sites get processes of their own: for jobs with a session or credentials. */
  keepsSitesApart?: boolean
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

/**
 * Ways out that do not go through the proxy of the gate. The headless shell knows the first spelling of WebRTC's rule, the full browser
 * only the second; with the other one alone, STUN goes out by UDP to any address. No name is resolved but by the gate.
 */
const noSideDoors = [
  '--disable-quic',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
]

const container = ['--disable-dev-shm-usage', '--disable-gpu']

/** A page that nobody looks at works as fast as one that somebody does. */
const awake = [
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  '--disable-ipc-flooding-protection',
]

/** One renderer per tab: a quarter less memory. Contexts share no renderer in any case, and within one there is only one job and identity. */
const isolationFeatures = ['IsolateOrigins', 'site-per-process']

/**
 * - `BackForwardCache`: pages left behind would live on, with all they do.
 * - `RenderDocument`: the frame and compositor of a tab serve the next page of the same site too; new ones for each cost a sixth of a page.
 * - The rest talk to their maker, or to the user.
 */
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

export function launchFlags({
  headless,
  isRoot,
  maxHeapMb = 512,
  keepsSitesApart = false,
}: FlagOptions): string[] {
  const disabled = [...(keepsSitesApart ? [] : isolationFeatures), ...disabledFeatures]
  return [
    ...quiet,
    ...noSideDoors,
    ...container,
    ...awake,
    keepsSitesApart ? '--site-per-process' : '--disable-site-isolation-trials',
    `--disable-features=${disabled.join(',')}`,
    `--js-flags=--max-old-space-size=${maxHeapMb}`,
    ...(headless ? ['--headless', '--hide-scrollbars'] : []),
    ...(isRoot ? ['--no-sandbox'] : []),
  ]
}
