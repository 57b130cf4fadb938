// What the fetch face takes and gives.
import * as z from 'zod'
import { id } from '../../../model/ids.ts'
import { jobStates, webhookUrl, webUrl } from '../../../model/job.ts'

const mostLinks = 10_000
const longestWaitSeconds = 300

const seconds = z.number().min(0).max(longestWaitSeconds)

const options = z
  .strictObject({
    waitMin: seconds
      .nullish()
      .describe('Seconds that a page rests after it has loaded: by chance, from here …'),
    waitMax: seconds.nullish().describe('… to here.'),
    concurrencyLimit: z
      .int()
      .min(1)
      .nullish()
      .describe('Pages at a time: 5 where nothing is said, never more than 20.'),
    proxies: z
      .array(z.string().max(2_000))
      .max(10_000)
      .nullish()
      .describe(
        'One of them by chance for each link: `http://user:password@host:port`, `socks5://…`, `host:port`. Needs the scope `proxies`.',
      ),
    webhookUrl: webhookUrl.nullish().describe('Told when the job has ended.'),
    headless: z.unknown().optional().describe('Always on, whatever is said.'),
  })
  .refine(({ waitMin, waitMax }) => (waitMin ?? 0) <= (waitMax ?? longestWaitSeconds), {
    path: ['waitMin'],
    message: 'it is above wait_max',
  })

export const fetchBody = z
  .strictObject({
    links: z
      .array(webUrl)
      .min(1)
      .max(mostLinks, `at most ${mostLinks.toLocaleString('en')} links; send more as an upload to /jobs`),
    options: options.nullish(),
    headless: z.unknown().optional().describe('As in `options`.'),
  })
  .meta({
    examples: [
      {
        links: ['https://example.com/', 'https://example.com/about'],
        options: { wait_min: 1, wait_max: 3, concurrency_limit: 5 },
      },
    ],
  })
export type FetchBody = z.output<typeof fetchBody>

export const fetchParams = z.object({ jobId: id })

const warning = z.object({ field: z.string(), message: z.string() })
export type Warning = z.output<typeof warning>

export const startedFetch = z.object({
  jobId: z.string(),
  status: z.enum(jobStates),
  statusUrl: z.string(),
  warnings: z.array(warning).optional().describe('What was asked for and is done otherwise.'),
})

export const fetchResult = z.object({
  url: z.string().describe('The link as it was sent.'),
  status: z.enum(['success', 'error']),
  htmlContent: z.string().nullable().describe('The page as the browser had it after the wait.'),
  errorMessage: z.string().nullable(),
  errorType: z.string().nullable().describe('`TimeoutError`, `NavigationError`, `CaptchaError`, …'),
})

export const fetchStatus = z.object({
  jobId: z.string(),
  status: z.enum(jobStates),
  results: z.array(fetchResult).describe('Of the links that are done so far, in their order.'),
  nextCursor: z.string().nullable().optional().describe('Only where `limit` was given.'),
})
