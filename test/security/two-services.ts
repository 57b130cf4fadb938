// Runs random jobs of two workspaces on one service and on two services. Requests and results of each job must be equal. A job
// without a session must also have the same results as without cached responses.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { html, ListeningSite } from '../support/listening-site.ts'
import { TestService } from '../support/service.ts'

type Workspace = 'alpha' | 'beta'
const workspaces: readonly Workspace[] = ['alpha', 'beta']

interface RandomJob {
  workspace: Workspace
  face: 'jobs' | 'firecrawl'
  page: number
  maxAgeMs: number | undefined
  headers: Record<string, string>
  session: string | undefined
  userAgent: string | undefined
  fields: Record<string, string> | undefined
  pii: 'mask' | 'keep' | undefined
  render: 'auto' | undefined
}

const hour = 3_600_000
const secretOf = (workspace: Workspace): string => `secret-of-${workspace}`

/** A job before its headers are made. `header` is the name of the only header; empty for none. */
type Drawn = Omit<RandomJob, 'headers'> & { header: string }

type Fields = { [Name in keyof Drawn]: fc.Arbitrary<Drawn[Name]> }

const fieldsOf = ({ pages, modes }: Pick<Extent, 'pages' | 'modes'>): Fields => ({
  workspace: fc.constantFrom(...workspaces),
  face: fc.constantFrom('jobs' as const, 'jobs' as const, 'firecrawl' as const),
  page: fc.integer({ min: 0, max: pages - 1 }),
  maxAgeMs: fc.constantFrom(undefined, 0, hour, hour),
  header: fc.constantFrom('', '', 'Authorization', 'Cookie', 'X-Api-Key', 'Accept-Language'),
  session: fc.constantFrom(undefined, undefined, undefined, 'mine'),
  userAgent: fc.constantFrom(undefined, undefined, 'refused-by-robots (+mail@example.com)'),
  fields: fc.constantFrom(undefined, { heading: 'h1' }, { who: '.who' }),
  pii: fc.constantFrom(undefined, 'mask' as const, 'keep' as const),
  render: fc.constantFrom(...modes),
})

/** The usual job, in both workspaces, with at most two other values. Independent jobs would hardly ever request the same page
 *  with almost the same options, so a value that is missing in a cache key would stay unnoticed. */
function jobs(extent: Pick<Extent, 'pages' | 'modes' | 'jobsPerRun'>): fc.Arbitrary<RandomJob[]> {
  const fields = fieldsOf(extent)
  const change = fc.oneof(
    ...Object.entries(fields).map(([name, values]) =>
      (values as fc.Arbitrary<unknown>).map(value => ({ [name]: value }) as Partial<Drawn>),
    ),
  )
  const job = fc
    .tuple(fields.workspace, change, change)
    .map(([workspace, first, second]) => withHeaders({ ...usual, workspace, ...first, ...second }))
  return fc.array(job, { minLength: extent.jobsPerRun, maxLength: extent.jobsPerRun })
}

const usual: Omit<Drawn, 'workspace'> = {
  ...{ face: 'jobs', page: 0, maxAgeMs: hour, header: '' },
  ...{ session: undefined, userAgent: undefined, fields: undefined, pii: undefined, render: undefined },
}

const withHeaders = ({ header, ...job }: Drawn): RandomJob => ({
  ...job,
  headers: header === '' ? {} : { [header]: header === 'Accept-Language' ? 'de' : secretOf(job.workspace) },
})

/** Responses depend only on the request. If a job gets another response because of another job, our service is the cause. */
async function openSite(): Promise<ListeningSite> {
  const site = await ListeningSite.open()
  return Object.assign(site, {
    pages: new Proxy(site.pages, {
      get: (_pages, path: string) => (path === '/robots.txt' ? robots : pageOf(path)),
    }),
  })
}

/** For user agents that begin with `refused`, robots.txt answers 403, so its response depends on the user agent. */
const robots: ListeningSite['pages'][string] = (response, { 'user-agent': agent = '' }) => {
  if (agent.startsWith('refused')) response.statusCode = 403
  response.end('User-agent: *\nDisallow: /*/closed\n')
}

const pageOf =
  (path: string): ListeningSite['pages'][string] =>
  (response, sent) => {
    const { authorization = '', cookie = '', 'x-api-key': key = '', 'accept-language': language = '' } = sent
    const who = `${authorization} ${cookie} ${key} ${language} ${sent['user-agent']}`
    const etag = `"${Buffer.from(who + path).toString('base64url')}"`
    const isSame = sent['if-none-match'] === etag
    response.writeHead(isSame ? 304 : 200, {
      ...{ 'content-type': 'text/html', etag },
      ...(authorization !== '' && { 'set-cookie': `seen=${authorization}; Path=/` }),
    })
    const needsBrowser = path.includes('page-2')
    const text = `<p class="who">${who}</p><p>Write to somebody@example.com.</p>`
    const live = `<div id="app"></div><script>document.getElementById('app').innerHTML = ${JSON.stringify(text)}</script>`
    response.end(isSame ? '' : html(needsBrowser ? live : text))
  }

interface Outcome {
  /** For example, whether the response came from the cache. */
  reasons: unknown
  content: unknown
}

interface Ran {
  result: Outcome
  asked: string[]
}

/** One service with keys of both workspaces. */
class Place implements AsyncDisposable {
  readonly #service: TestService
  readonly #site: ListeningSite
  readonly #keys: Record<Workspace, string>

  private constructor(service: TestService, site: ListeningSite, keys: Record<Workspace, string>) {
    this.#service = service
    this.#site = site
    this.#keys = keys
  }

  static async open(site: ListeningSite): Promise<Place> {
    const settings = { allowPrivate: [site.place], rate: 'unlimited' as const }
    const service = await TestService.open({ settings })
    const scopes = ['read', 'submit', 'credentials', 'personal_data']
    const keyOf = (workspace: Workspace) => service.key({ workspace, scopes })
    return new Place(service, site, { alpha: await keyOf('alpha'), beta: await keyOf('beta') })
  }

  /** The result of the job, and the requested pages. robots.txt is left out, because it may be cached for all workspaces. */
  async run(job: RandomJob, folder: string): Promise<Ran> {
    const before = this.#site.heard.length
    const url = `${this.#site.url}/${folder}/${job.page === 1 ? 'closed' : `page-${job.page}`}`
    const key = this.#keys[job.workspace]
    const result = job.face === 'jobs' ? await this.#job(job, url, key) : await this.#scrape(job, url, key)
    const asked = this.#site.heard.slice(before).map(({ path }) => path)
    return { result, asked: asked.filter(path => path !== '/robots.txt') }
  }

  async #job(job: RandomJob, url: string, key: string): Promise<Outcome> {
    const { maxAgeMs, headers, session, userAgent, fields, pii, render } = job
    const id = await this.#service.submit(
      {
        ...{ urls: [url], headers, session, user_agent: userAgent, pii, render, max_age_ms: maxAgeMs },
        ...(fields && { extract: { fields } }),
        policy: { host: { rate: 'unlimited' }, retries: { attempts: 0 } },
      },
      { key },
    )
    const { state, counts } = (await this.#service.ended(id, { key })) as {
      state: string
      counts: { by_reason: unknown }
    }
    const { body } = await this.#service.ask<{
      items: Array<{ data?: unknown; error?: { code: string } }>
    }>(`/jobs/${id}/results`, { key })
    const results = body.items.map(({ data, error }) => withoutTimes(data ?? error?.code))
    return { reasons: counts.by_reason, content: { state, results } }
  }

  async #scrape({ headers, maxAgeMs }: RandomJob, url: string, key: string): Promise<Outcome> {
    const body = { url, headers, ...(maxAgeMs !== undefined && { maxAge: maxAgeMs }) }
    const { status, body: answer } = await this.#service.ask<{ data?: { markdown?: string }; code?: string }>(
      '/v2/scrape',
      { key, body },
    )
    return { reasons: null, content: { status, markdown: answer.data?.markdown, code: answer.code } }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#service[Symbol.asyncDispose]()
  }
}

/** Removes fetch times, which differ from run to run. */
const withoutTimes = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value ?? null, (name, inner) =>
      /_at$|_ms$|^task_id$|^job_id$/.test(name) ? undefined : inner,
    ),
  )

export interface Extent {
  runs: number
  jobsPerRun: number
  /** The number of pages per run: robots.txt disallows the second, and the third needs a browser. */
  pages: 2 | 3
  modes: ReadonlyArray<RandomJob['render']>
  seed: number
}

export async function compareServices({ runs, jobsPerRun, pages, modes, seed }: Extent): Promise<void> {
  await using site = await openSite()
  await using shared = await Place.open(site)
  await using ofAlpha = await Place.open(site)
  await using ofBeta = await Place.open(site)
  await using fresh = await Place.open(site)
  const own = { alpha: ofAlpha, beta: ofBeta }
  let folders = 0
  await fc.assert(
    fc.asyncProperty(jobs({ pages, modes, jobsPerRun }), async sequence => {
      // Each run gets new pages, so that data of an earlier run has no influence.
      folders += 1
      const folder = `run-${folders}`
      for (const [index, job] of sequence.entries()) {
        const together = await shared.run(job, folder)
        const apart = await own[job.workspace].run(job, folder)
        assert.deepEqual(together, apart, `job ${index + 1} of ${JSON.stringify(sequence, null, 1)}`)
        if (job.session === undefined) {
          const uncached = await fresh.run({ ...job, maxAgeMs: job.face === 'jobs' ? undefined : 0 }, folder)
          assert.deepEqual(
            together.result.content,
            uncached.result.content,
            `cached: ${JSON.stringify(sequence, null, 1)}`,
          )
        }
        const other = secretOf(job.workspace === 'alpha' ? 'beta' : 'alpha')
        assert.ok(!JSON.stringify(together).includes(other), `${job.workspace} got ${other}`)
      }
    }),
    { numRuns: runs, seed, endOnFailure: true },
  )
}
