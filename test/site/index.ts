// The demo site for tests: with misbehaving pages, without a crawl delay, and with faults and pages that a test adds.
import { type Answer, type DemoSite, type DemoSiteOptions, startDemoSite } from '../../src/demo-site/index.ts'
import { type Faults, scriptedFaults } from './faults.ts'

export type { DemoSite, RequestLogEntry } from '../../src/demo-site/index.ts'
export type { Hold } from './faults.ts'
export { type RawServer, startRawServer } from './raw-server.ts'
export { gapsMs, maxInFlight } from './request-times.ts'
export { startTlsServer, type TlsServer } from './tls-server.ts'

export interface TestSite extends DemoSite {
  fail: Faults['fail']
  hold: Faults['hold']
  /** Serves a page that the test supplies: HTML, or a response with status and headers. */
  serve(path: string, answer: string | Answer): void
  /** The requests for one path, whatever their query. */
  requestsTo(path: string): DemoSite['requests']
}

export async function startTestSite(options: DemoSiteOptions = {}): Promise<TestSite> {
  const faults = scriptedFaults()
  const served = new Map<string, Answer>()
  const site = await startDemoSite({
    crawlDelaySeconds: 0,
    products: 40,
    misbehave: true,
    ...options,
    intercept: async visit => (await faults.intercept(visit)) ?? served.get(visit.url.pathname),
  })
  return Object.assign(site, {
    fail: faults.fail,
    hold: faults.hold,
    serve: (path: string, answer: string | Answer) => void served.set(path, asAnswer(answer)),
    requestsTo: (path: string) => site.requests.filter(({ url }) => url.split('?')[0] === path),
  })
}

function asAnswer(answer: string | Answer): Answer {
  if (typeof answer !== 'string') return answer
  return { headers: { 'content-type': 'text/html; charset=utf-8' }, body: answer }
}
