// Runs the code of a scraper in a lane. Each page that the code opens, except the first, needs a permit.
import { LinkAdmitter } from '../../../frontier/admit.ts'
import { textKey } from '../../../frontier/canonical-url.ts'
import { compileScope } from '../../../frontier/scope.ts'
import { asFailure, Failure } from '../../../model/failures.ts'
import { followedOf } from '../../../model/followed.ts'
import type { TimedTask } from '../../../model/lane.ts'
import type { AdmittedLinks } from '../../../model/page/links.ts'
import type { FetchRequest, RedirectHop } from '../../../model/page/page.ts'
import type { OpenOptions } from '../../../scraper/define-scraper.ts'
import type { OpenJob } from '../lane/open-job.ts'
import type { LookedAt } from '../reading.ts'
import { cutShort, failedReport, noPage, succeeded, type TaskParts, type TaskResult } from '../task-report.ts'
import { TaskVisits } from '../task-visits.ts'
import { Deadline } from './deadline.ts'
import { type BringPage, encodeForm, type FollowedLink, ScraperSession } from './scraper-session.ts'
import { exchangeOf, StoredExchanges } from './stored-exchanges.ts'
import { TaskCredentials } from './task-credentials.ts'

export async function runScraper(
  parts: TaskParts,
  job: OpenJob,
  task: TimedTask,
  signal: AbortSignal,
): Promise<TaskResult> {
  const { taskMs } = (task.overrides ?? job.job.spec.policy).timeouts
  using deadline = new Deadline(parts.clock, taskMs, () => late(job, taskMs))
  const stop = AbortSignal.any([signal, deadline.signal])
  const credentials = new TaskCredentials(job, stop)
  const run: Run = { last: task.url, kept: new StoredExchanges(), deadline, credentials }
  await using visits = job.browser ? new TaskVisits(parts, job, job.browser, task, stop) : null
  const bring = fromTheWeb(parts, job, task, run, visits, stop)
  const session = new ScraperSession(job.scraper, task, bring, stop, {
    mayAskBrowser: task.mayAskBrowser ?? false,
    lacksBrowser: job.looks(task) && job.job.noBrowser !== undefined,
    credentials: credentials.get,
  })
  const startedAt = parts.clock.now()
  try {
    await deadline.over(session.run())
    const page = session.lastPage ?? noPage(task, startedAt, parts.clock.now())
    const links = linksOf(job, task, session)
    const reading = {
      extracted: session.emitted,
      links,
      sitemaps: [],
      canonicalKey: null,
      contentKey: null,
      specParsed: false,
      ...(job.looks(task) && { looked: whole }),
    }
    const artifacts = visits?.artifacts ?? []
    const report = {
      ...succeeded(job, task, page, reading, artifacts),
      startedAt,
      endedAt: parts.clock.now(),
    }
    return { report, page: session.lastPage, exchanges: run.kept.all, artifacts }
  } catch (error) {
    const failure = signal.aborted
      ? cutShort(task, signal)
      : credentials.failure(session.orNeed(scraperFailure(error, job)))
    const report = failedReport(task, failure, parts.clock.now())
    const artifacts = (await visits?.ofFailure(report)) ?? []
    const kept = { page: session.lastPage, exchanges: run.kept.all, artifacts }
    return { report: { ...report, startedAt, finalUrl: run.last }, ...kept }
  }
}

/** The result of the browser check for a scraper that accepted its page: no browser is needed. */
const whole: LookedAt = { need: { needs: false }, isLacking: false }

/** The state of a scraper run, besides its records. */
interface Run {
  /** The URL of the last request. The outcome of the task counts for the host of this URL. */
  last: string
  /** The previous request, and when it was sent. */
  sent?: { url: string; at: number }
  kept: StoredExchanges
  deadline: Deadline
  credentials: TaskCredentials
}

const late = ({ scraperName }: OpenJob, taskMs: number): Failure => {
  const message = `scraper ${scraperName} did not finish within ${taskMs} ms, not counting waits for hosts (policy.timeouts.task_ms)`
  return new Failure('task.deadline', message, { taskMs })
}

/** An error that a scraper throws is a failure of the scraper, not a bug of ours. */
function scraperFailure(error: unknown, job: OpenJob): Failure {
  if (error instanceof Failure) return error
  return new Failure(
    'scraper.failed',
    `scraper ${job.scraperName}: ${asFailure(error).message}`,
    {},
    { cause: error },
  )
}

/** Fetches the pages of a scraper from the web. The task's slot permits its own page; every other request needs a permit. */
function fromTheWeb(
  parts: TaskParts,
  job: OpenJob,
  task: TimedTask,
  run: Run,
  visits: TaskVisits | null,
  signal: AbortSignal,
): BringPage {
  let opened = 0
  // For a row without a URL, the first page that the scraper opens counts as the site that the caller named.
  let home = task.url
  const fetch = job.newSession(task)
  const ask = async (url: string, lapsed: number) => {
    const { jobId, n } = task
    const request = { jobId, n, url, purpose: 'extra', sent: run.sent, lapsed } as const
    const goodUntil = await run.deadline.whileWaiting(() => parts.askPermit(request, signal))
    run.last = run.credentials.url(url)
    return () => parts.clock.now() <= goodUntil
  }
  const { slot } = parts
  const ownSlot = slot && ((lapsed: number) => run.deadline.whileWaiting(() => slot(lapsed)))
  return async (url, options) => {
    signal.throwIfAborted()
    const isOwn = opened++ === 0 && url === task.url
    const beforeFirst = isOwn ? ownSlot : (lapsed: number) => ask(url, lapsed)
    const beforeHop = (hop: RedirectHop, at: number, lapsed: number) => {
      run.sent = { url: hop.from, at }
      return ask(hop.to, lapsed)
    }
    home ||= url
    const request = { ...job.request(url, beforeHop, { ...task, url: home }), beforeFirst }
    const own = requestOf(options)
    // A browser can only navigate to a URL. Requests with a method or body go over HTTP.
    const isVisit = visits && own.method === undefined
    if (isVisit) await beforeFirst?.(0)
    const brought = isVisit
      ? await visits.open(url, own.headers)
      : await fetch({ ...request, ...own, headers: { ...request.headers, ...own.headers } }, signal)
    run.sent = { url: brought.finalUrl, at: brought.lastSentAt ?? brought.sentAt }
    await job.probe(brought)
    const page = run.credentials.page(brought)
    run.kept.add(exchangeOf({ ...own, url: run.credentials.url(url) }, page))
    return page
  }
}

/** The links that the scraper followed. They pass the same checks as links in a page. */
function linksOf(
  job: OpenJob,
  task: TimedTask,
  { followed, lastPage }: ScraperSession,
): AdmittedLinks | null {
  if (followed.length === 0) return null
  const base = lastPage?.finalUrl ?? task.url
  const admit = (admitter: LinkAdmitter, hrefs: string[]) =>
    admitter.admit({ base, hrefs, nofollow: [], pageNofollow: false }, task.depth + 1)
  const plain = followed.filter(({ input }) => input === null).map(({ url }) => url)
  const passed = followed.filter(({ input }) => input !== null)
  const links = admit(followingFrom(job, base), plain)
  if (passed.length === 0) return links
  // The same URL may be followed to several handlers, so each handler has its own duplicate check.
  const admitters = new Map<string, LinkAdmitter>()
  const admitFor = (handler: string, url: string) => {
    const admitter = admitters.get(handler) ?? newAdmitter(job, base)
    admitters.set(handler, admitter)
    return admit(admitter, [url])
  }
  return withPassed(links, passed, admitFor)
}

function withPassed(
  links: AdmittedLinks,
  passed: FollowedLink[],
  admit: (handler: string, url: string) => AdmittedLinks,
): AdmittedLinks {
  const parts = passed.map(({ url, input }) => {
    const { handler } = followedOf(input)!
    return { links: admit(handler, url), input, handler }
  })
  const admitted = parts.filter(part => part.links.urls.length > 0)
  const keys = admitted.map(part => textKey(`${part.handler} ${part.links.urls[0]}`))
  const refused = { ...links.refused }
  for (const part of parts)
    for (const [reason, count] of Object.entries(part.links.refused) as Array<[keyof typeof refused, number]>)
      refused[reason] = (refused[reason] ?? 0) + count
  return {
    urls: [...links.urls, ...admitted.map(part => part.links.urls[0]!)],
    hosts: [...links.hosts, ...admitted.map(part => part.links.hosts[0]!)],
    keys: BigInt64Array.from([...links.keys, ...keys]),
    inputs: [...links.urls.map(() => null), ...admitted.map(({ input }) => input)],
    refused,
  }
}

/** The scope check for followed links. Rows of a file may be from different sites. For such a job, the scope is the site of the
 *  current page. */
function followingFrom({ job, admitter, canonical }: OpenJob, base: string): LinkAdmitter {
  return namesSites(job.spec) || base === '' ? admitter : newAdmitter({ job, canonical }, base)
}

const namesSites = ({ seedUrls, urls, sitemapUrl, allowedDomains }: OpenJob['job']['spec']): boolean =>
  (seedUrls ?? urls ?? sitemapUrl ?? allowedDomains) !== undefined

function newAdmitter(
  { job: { spec }, canonical }: Pick<OpenJob, 'job' | 'canonical'>,
  base: string,
): LinkAdmitter {
  const scope = compileScope(namesSites(spec) || base === '' ? spec : { ...spec, urls: [base] })
  return new LinkAdmitter({ scope, canonical, nofollow: spec.nofollow })
}

function requestOf({ method, headers, form, body }: OpenOptions): Partial<FetchRequest> {
  const sent = form ? encodeForm(form) : body
  const type = form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}
  return {
    ...(method || sent !== undefined ? { method: method ?? 'POST' } : {}),
    ...(sent !== undefined ? { body: sent } : {}),
    ...(headers || form ? { headers: { ...type, ...headers } } : {}),
  }
}
