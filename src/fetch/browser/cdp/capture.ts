// Takes results from a page besides its markup: a script value, a screenshot, a PDF, and evidence of a failure.
import { Failure } from '../../../model/failures.ts'
import type { Artifact } from '../../../model/policy/rendering.ts'
import { limitOf, raced } from '../bounded.ts'
import type { EvidenceKinds, LoadRequest } from '../driver.ts'
import type { Clip } from './protocol.ts'
import { ScriptError, type Tab } from './tab.ts'

/** Chromium's limit for the height of a screenshot. */
const maxHeight = 16_384

export async function capture(tab: Tab, { rendering, url }: LoadRequest, signal: AbortSignal) {
  const value = rendering.js === undefined ? null : await scriptValue(tab, rendering.js, url, signal)
  if (rendering.screenshot || rendering.pdf) await tab.painted(signal)
  const screenshot = rendering.screenshot ? await screenshotOf(tab, rendering.fullPage, signal) : null
  const pdf = rendering.pdf ? await pdfOf(tab, signal) : null
  return { value, screenshot, pdf }
}

/** The result as JSON text. Values without a JSON form become `null`. */
async function scriptValue(tab: Tab, expression: string, url: string, signal: AbortSignal): Promise<string> {
  try {
    return JSON.stringify((await tab.evaluate(expression, signal)) ?? null)
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error
    const [firstLine] = error.message.split('\n')
    throw new Failure(
      'action.failed',
      `The expression for ${url} failed: ${firstLine}`,
      { url },
      { cause: error },
    )
  }
}

async function screenshotOf(tab: Tab, isWhole: boolean, signal: AbortSignal): Promise<Buffer> {
  const clip = isWhole ? await wholePage(tab, signal) : undefined
  const params = { format: 'png', captureBeyondViewport: isWhole, ...(clip && { clip }) } as const
  const { data } = await raced(tab.session.send('Page.captureScreenshot', params), signal)
  return Buffer.from(data, 'base64')
}

async function wholePage(tab: Tab, signal: AbortSignal): Promise<Clip> {
  const { cssContentSize } = await raced(tab.session.send('Page.getLayoutMetrics'), signal)
  const height = Math.min(cssContentSize.height, maxHeight)
  return { x: 0, y: 0, width: cssContentSize.width, height, scale: 1 }
}

async function pdfOf(tab: Tab, signal: AbortSignal): Promise<Buffer> {
  const params = { printBackground: true, preferCSSPageSize: true }
  const { data } = await raced(tab.session.send('Page.printToPDF', params), signal)
  return Buffer.from(data, 'base64')
}

/** The timeout for a screenshot is this many times as long, because painting is slow on a busy machine. The page must
 *  still respond. */
const longerForPicture = 2

/** Never rejects. A hung page yields no screenshot and no markup, but its console messages and requests are already
 *  recorded. */
export async function collectEvidence(
  tab: Tab,
  kinds: EvidenceKinds,
  timeoutMs: number,
): Promise<Artifact[]> {
  using limit = limitOf(timeoutMs, new Error('too late'))
  using longer = limitOf(timeoutMs * longerForPicture, new Error('too late'))
  const text = (name: string, fileName: string, type: string, content: string): Artifact[] =>
    content === '' ? [] : [{ name, fileName, type, bytes: Buffer.from(content) }]
  // Before the first response the window is empty, so a screenshot would show nothing.
  const isSeen = tab.watch.shown.status > 0 && (kinds.includes('screenshot') || kinds.includes('html'))
  const read = isSeen ? tab.markup(limit.signal) : Promise.reject(new Error('nothing to see'))
  read.catch(() => {})
  const takers: Record<EvidenceKinds[number], () => Promise<Artifact[]>> = {
    screenshot: async () => {
      await read
      const bytes = await screenshotOf(tab, false, longer.signal)
      return [{ name: 'screenshot', fileName: 'screenshot.png', type: 'image/png', bytes }]
    },
    html: async () => text('html', 'page.html', 'text/html; charset=utf-8', (await read).text),
    console: async () =>
      text('console', 'console.txt', 'text/plain; charset=utf-8', tab.watch.console.join('\n')),
    network: async () => text('network', 'network.jsonl', 'application/x-ndjson', networkLines(tab)),
    // Only drivers of the Playwright family record traces.
    trace: async () => [],
    // Step screenshots are taken while the steps run, so none are left to take here.
    steps: async () => [],
  }
  const taken = await Promise.all(kinds.map(kind => takers[kind]().catch(() => [])))
  return taken.flat()
}

const networkLines = (tab: Tab): string => tab.watch.network.map(entry => JSON.stringify(entry)).join('\n')
