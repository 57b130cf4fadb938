// example-http: requests the echo route of the demo site, to try jobs offline.
import * as z from 'zod'
import { Failure } from '../../model/failures.ts'
import { defineScraper } from '../define-scraper.ts'
import type { PageView } from '../page-view.ts'

/** The default address of `kscrape demo-site`. */
const demoSite = 'http://127.0.0.1:8080'

export const exampleHttp = defineScraper({
  id: 'example-http',
  version: '1',
  name: 'Example: HTTP',
  description: `Sends \`test_param\` to the \`/echo\` route of a site and returns the response. The default site is \`kscrape demo-site\` (${demoSite}).`,
  input: z.object({
    test_param: z.union(
      [z.string().min(1).max(1_000), z.number(), z.boolean()],
      'text to send, like "hello"',
    ),
    /** The URL of a site with an `/echo` route. */
    base_url: z.url({ protocol: /^https?$/ }).default(demoSite),
  }),
  output: z.object({
    test_param: z.string().nullable(),
    method: z.string().nullable(),
    path: z.string().nullable(),
  }),
  policy: { host: { rate: 10 } },
  async run({ input, open, emit }) {
    const base = input.base_url.replace(/\/$/, '')
    const page = await openEcho(
      () => open(`${base}/echo?${new URLSearchParams({ test_param: String(input.test_param) })}`),
      base,
    )
    const answer = page.json() as { query?: Record<string, string>; method?: string; path?: string }
    const { method, path } = page.require({ method: answer.method, path: answer.path })
    emit({ test_param: answer.query?.test_param ?? null, method, path })
  },
  validate: ([record]) => (record?.test_param === null ? 'the echo route did not return test_param' : null),
})

/** Explains the most frequent mistake, that the demo site does not run, with a remedy. */
async function openEcho(open: () => Promise<PageView>, base: string): Promise<PageView> {
  try {
    return await open()
  } catch (error) {
    if (!(error instanceof Failure) || base !== demoSite) throw error
    const way = ways[error.code]
    if (!way) throw error
    throw new Failure(error.code, `${error.message}; ${way}`, error.details, { cause: error })
  }
}

const start = 'start it with `kscrape demo-site`, or name another site in the input’s base_url'
const ways: Partial<Record<Failure['code'], string>> = {
  'connect.refused': start,
  'robots.unreachable': start,
}
