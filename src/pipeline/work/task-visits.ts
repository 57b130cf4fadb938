// The browser pages of one task. One page is open at a time, each navigation is checked, and the last page closes with the task.
import type { Performed } from '../../fetch/actions/action-types.ts'
import { StepFrames } from '../../fetch/actions/step-frames.ts'
import { actionDelay } from '../../fetch/browser/action-delay.ts'
import type { EgressTarget, RenderedPage, RenderRequest } from '../../fetch/browser/browser-fetch.ts'
import { SeatControl } from '../../fetch/browser/seats/seat-control.ts'
import { type CookieJson, jarCookie, stateCookie } from '../../fetch/http/index.ts'
import { canonicalUrl, hostOf } from '../../frontier/canonical-url.ts'
import { Redactor } from '../../lib/secrets/redactor.ts'
import { defaultWorkspace } from '../../model/access.ts'
import { asFailure, Failure, failures } from '../../model/failures.ts'
import type { TaskReport, TimedTask } from '../../model/lane.ts'
import type { Page } from '../../model/page/page.ts'
import { cutParts } from '../../model/page/page-parts.ts'
import type { TaskIdentity } from '../../model/policy/proxy.ts'
import { browserKindOf } from '../../model/policy/render-mode.ts'
import type { Artifact, LivePage } from '../../model/policy/rendering.ts'
import type { RecordData } from '../../model/record.ts'
import type { Secrets } from '../../ports/secrets.ts'
import { numbered, ofFailure } from '../../results/artifacts.ts'
import { isAnother, type JobBrowser } from './lane/job-browser.ts'
import type { OpenJob } from './lane/open-job.ts'
import type { TaskParts } from './task-report.ts'

const noSecrets: Secrets = { get: async () => null, names: async () => [] }

export class TaskVisits implements AsyncDisposable {
  readonly #parts: TaskParts
  readonly #job: OpenJob
  readonly #browser: JobBrowser
  readonly #task: TimedTask
  readonly #signal: AbortSignal
  readonly #redactor = new Redactor()
  /** Permits of the hosts that the open page has requested, by host. */
  #asked = new Map<string, Promise<void>>()
  /** Checks of the URLs that the open page navigates to, by URL. */
  #judged = new Map<string, Promise<void>>()
  /** The URL of the task. For a row without a URL: the first page that its scraper opens. Secret headers go to its site. */
  #home: string
  #current: RenderedPage | null = null
  /** Cookies that were set for the open page. */
  #given: CookieJson[] = []
  #made: Artifact[] = []
  #evidence: Artifact[] = []
  /** Lets a person control the page in the live view. */
  readonly #control = new SeatControl()
  /** Screenshots after the last steps of the actions. */
  readonly #frames = new StepFrames()

  constructor(parts: TaskParts, job: OpenJob, browser: JobBrowser, task: TimedTask, signal: AbortSignal) {
    this.#parts = parts
    this.#job = job
    this.#browser = browser
    this.#task = task
    this.#home = task.url
    this.#signal = signal
  }

  /** Loads a page. It stays open until the next page opens or the task ends. */
  async open(url: string, headers: Record<string, string> = {}): Promise<Page> {
    await this.#leave()
    this.#home ||= url
    this.#asked = new Map()
    this.#judged = new Map()
    const performed: { last: Performed | null } = { last: null }
    const request = await this.#request(url, headers, performed)
    try {
      this.#current = await this.#browser.parts.fetch.open(request, this.#signal)
    } catch (error) {
      throw this.#withoutSecrets(error)
    }
    const { page, live } = this.#current
    await this.#judgeLanding(page)
    return this.#finished(page, live, performed.last)
  }

  async #request(
    url: string,
    headers: Record<string, string>,
    performed: { last: Performed | null },
  ): Promise<RenderRequest> {
    this.#given = this.#identity ? this.#job.identitiesFor(this.#task).cookiesOf(this.#identity, url) : []
    return {
      ...this.#browser.visitFor(this.#task, this.#job.identitiesFor(this.#task)),
      url,
      headers: { ...this.#job.headersFor(url, { url: this.#home }), ...headers },
      state: await this.#browser.state(),
      cookies: this.#given.map(stateCookie),
      why: this.#task.wayWhy ?? '',
      before: target => this.#before(url, target),
      seen: { n: this.#task.n, control: this.#control },
      beforeDocument: to => this.#judge(to),
      onFailure: artifacts => {
        this.#evidence = artifacts
      },
      ...this.#actions(url, performed),
    }
  }

  /** The identity whose cookies the page uses and changes; null for a retry with a new session. */
  get #identity(): TaskIdentity | null {
    return isAnother(this.#job.job, this.#task) ? null : (this.#task.identity ?? null)
  }

  /** Only jobs of the default workspace may use secrets. The API refuses other jobs that name secrets. This is a second
   *  protection: such a job finds no secrets. */
  get #secrets(): Secrets {
    return this.#job.job.workspace === defaultWorkspace ? this.#browser.parts.secrets : noSecrets
  }

  /** Performs the job's actions, only in the task's own page. */
  #actions(url: string, performed: { last: Performed | null }): Pick<RenderRequest, 'act'> {
    const { spec } = this.#job.job
    const { jobId, n } = this.#task
    if (!spec.actions || url !== this.#task.url) return {}
    const { performActions } = this.#browser.parts
    const plan = {
      url,
      actions: spec.actions,
      row: this.#task.input === null ? {} : (JSON.parse(this.#task.input) as Record<string, unknown>),
      navigationMs: (this.#task.overrides?.browser ?? spec.policy.browser).navigationMs,
      actionDelayMs: this.#actionDelayMs(url),
    }
    const parts = {
      secrets: this.#secrets,
      redactor: this.#redactor,
      extract: this.#job.records.ofElements,
      beforeNavigation: async (to: string) => {
        await this.#parts.askPermit({ jobId, n, url: to, purpose: 'extra' }, this.#signal)
      },
    }
    const keepsSteps = this.#keepsSteps
    const steps = {
      beforeStep: async ({ path, type }: { path: string; type: string }) => {
        await this.#control.whenRunning()
        this.#control.step = `${path} ${type}`
      },
      ...(keepsSteps && { afterStep: this.#frames.take }),
    }
    return {
      act: async (page, signal, downloadKept) => {
        try {
          performed.last = await performActions(page, plan, { ...parts, ...steps, downloadKept }, signal)
        } finally {
          this.#control.step = null
        }
      },
    }
  }

  /** Called before each request of the page. The task's slot permits the first request. Every other document needs a
   *  permit. Each further host needs one permit. If it is unknown whether a request is a document, only its host is
   *  checked. */
  #before(url: string, { url: target, isNavigation }: EgressTarget): Promise<void> {
    const host = hostOf(target)
    const isFirst = this.#asked.size === 0 && host === hostOf(url)
    const known = this.#asked.get(host)
    const asked = isFirst ? Promise.resolve() : isNavigation || !known ? this.#askFor(target) : known
    this.#asked.set(host, known ?? asked)
    return asked
  }

  async #askFor(url: string): Promise<void> {
    const { jobId, n } = this.#task
    await this.#parts.askPermit({ jobId, n, url, purpose: 'part' }, this.#signal)
  }

  /** Checks the page's final URL before the page is parsed. A script can change the URL without a request. */
  async #judgeLanding({ url, finalUrl }: Page): Promise<void> {
    if (canonicalUrl(finalUrl, this.#job.canonical) === canonicalUrl(url, this.#job.canonical)) return
    await this.#judge(finalUrl)
  }

  /** Checks scope, do-not-crawl list and robots.txt before the page navigates. This method reserves no slot, because
   *  `#before` reserves one. */
  #judge(url: string): Promise<void> {
    const { jobId, n } = this.#task
    const ask = async () => {
      await this.#parts.askPermit({ jobId, n, url, purpose: 'landing' }, this.#signal)
    }
    const judged = this.#judged.get(url) ?? ask()
    this.#judged.set(url, judged)
    return judged
  }

  #finished(page: Page, live: RenderedPage['live'], performed: Performed | null): Page {
    const rendered = page.rendered!
    this.#made.push(...rendered.artifacts, ...(performed?.artifacts ?? []))
    return {
      ...page,
      body: this.#redactor.bytes(page.body),
      ...(page.parts && !this.#redactor.isEmpty && { parts: cutParts(page.parts, this.#redactor) }),
      rendered: {
        ...rendered,
        live: this.#unhurried(page.finalUrl, live),
        ...(performed?.extracted && { extracted: performed.extracted }),
        ...(performed?.value !== undefined && { values: performed.value as RecordData }),
      },
    }
  }

  /** A stealth browser pauses before each action in a page, as people do. */
  #unhurried(url: string, live: LivePage): LivePage {
    const delayMs = this.#actionDelayMs(url)
    if (delayMs === null) return live
    const pause = () =>
      this.#parts.clock.sleep(actionDelay({ actionDelayMs: delayMs }, Math.random), this.#signal)
    return {
      html: () => live.html(),
      waitFor: async (selector, timeoutMs) => {
        await pause()
        return await live.waitFor(selector, timeoutMs)
      },
      scroll: async options => {
        await pause()
        return await live.scroll(options)
      },
    }
  }

  get #keepsSteps(): boolean {
    const { keepOnFailure } = this.#task.overrides?.browser ?? this.#job.job.spec.policy.browser
    return keepOnFailure.includes('steps')
  }

  #actionDelayMs(url: string): { min: number; max: number } | null {
    const isStealth = browserKindOf(this.#job.job.spec, this.#task.overrides) === 'stealth'
    return isStealth ? this.#browser.parts.actionDelayOf(hostOf(url)) : null
  }

  /** The files that the task has made so far. */
  get artifacts(): Artifact[] {
    return numbered(this.#made)
  }

  /** The files to store for a failed task: its own files, and evidence of its page. If the failure means that the task is skipped
   *  or cancelled, nothing is stored. */
  async ofFailure({ failure }: TaskReport): Promise<Artifact[]> {
    if (!failure || this.#signal.aborted || failures[failure.code].ends !== 'failed') return []
    const now = (await this.#current?.evidence().catch(() => [])) ?? []
    const kept = [...this.#made, ...this.#frames.artifacts, ...this.#evidence, ...now].flatMap(artifact =>
      this.#redacted(artifact),
    )
    return ofFailure(numbered(kept), this.#task.attempt)
  }

  /** Removes secrets from a file. A trace contains every pressed key and cannot be redacted, so a run with secrets stores none. */
  #redacted(artifact: Artifact): Artifact[] {
    if (this.#redactor.isEmpty) return [artifact]
    if (artifact.type === 'application/zip' && artifact.name.startsWith('trace')) return []
    const isText = /^text\/|json|xml/.test(artifact.type)
    return [isText ? { ...artifact, bytes: this.#redactor.bytes(artifact.bytes) } : artifact]
  }

  #withoutSecrets(error: unknown): unknown {
    if (this.#redactor.isEmpty) return error
    const { code, message, details } = asFailure(error)
    return new Failure(code, this.#redactor.text(message), this.#redactor.json(details))
  }

  async #leave(): Promise<void> {
    const visit = this.#current
    this.#current = null
    if (!visit) return
    try {
      const identity = this.#identity
      const state = this.#browser.keepsSession || identity ? await visit.state() : null
      if (state && this.#browser.keepsSession) await this.#browser.keep(state)
      if (state && identity)
        this.#job.identitiesFor(this.#task).keep(identity, state.cookies.map(jarCookie), this.#given)
    } finally {
      await visit.release()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#leave().catch(() => {})
  }
}
