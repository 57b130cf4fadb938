// Request and response schemas of the fetch API.
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
      .describe(
        'Shortest wait in seconds after a page has loaded. The wait is random between the two limits.',
      ),
    waitMax: seconds.nullish().describe('Longest wait in seconds after a page has loaded.'),
    concurrencyLimit: z
      .int()
      .min(1)
      .nullish()
      .describe('Number of pages that load at the same time: 5 by default, at most 20.'),
    proxies: z
      .array(z.string().max(2_000))
      .max(10_000)
      .nullish()
      .describe(
        'A list of proxies; each link uses a random one. Write a proxy as `http://user:password@host:port`, `socks5://…` or `host:port`. Needs the scope `proxies`.',
      ),
    webhookUrl: webhookUrl.nullish().describe('A URL that gets a webhook when the job has ended.'),
    headless: z.unknown().optional().describe('Always true; other values are ignored with a warning.'),
  })
  .refine(({ waitMin, waitMax }) => (waitMin ?? 0) <= (waitMax ?? longestWaitSeconds), {
    path: ['waitMin'],
    message: 'must not be above wait_max',
  })

export const fetchBody = z
  .strictObject({
    links: z
      .array(webUrl)
      .min(1)
      .max(mostLinks, `at most ${mostLinks.toLocaleString('en')} links; send more as an upload to /jobs`),
    options: options.nullish(),
    headless: z.unknown().optional().describe('Same as in `options`.'),
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
  warnings: z
    .array(warning)
    .optional()
    .describe('Options that the service changed or ignored, with the reason.'),
})

export const fetchResult = z.object({
  url: z.string().describe('The link as given in the request.'),
  status: z.enum(['success', 'error']).describe('Whether the link succeeded.'),
  htmlContent: z.string().nullable().describe('The HTML in the browser after the wait.'),
  errorMessage: z.string().nullable(),
  errorType: z.string().nullable().describe('`TimeoutError`, `NavigationError`, `CaptchaError`, …'),
})

export const fetchStatus = z.object({
  jobId: z.string(),
  status: z.enum(jobStates),
  results: z
    .array(fetchResult)
    .describe('Results of the links that have ended, in the order of the request.'),
  nextCursor: z
    .string()
    .nullable()
    .optional()
    .describe('Cursor of the next results. Only in responses to requests with `limit`.'),
})
