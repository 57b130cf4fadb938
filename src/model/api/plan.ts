// The response schema of a plan: a preview of a job, with estimates of its pages, time and traffic.
import * as z from 'zod'
import { rate } from '../policy/policy.ts'

const counted = z.record(z.string(), z.int())

export const planShown = z.object({
  kind: z.enum(['crawl', 'list', 'map']),
  pages: z.object({
    count: z
      .int()
      .nullable()
      .describe('Number of pages. Null if the number is unknown, because there is no sitemap.'),
    basis: z.string().describe('How the count was made.'),
    disallowed: z.int().describe('Known pages that robots.txt disallows.'),
    hosts: z.int(),
  }),
  hosts: z.array(
    z.object({
      host: z.string(),
      pages: z.int(),
      rate: rate.describe('Requests per second, with the crawl delay.'),
      crawlDelayMs: z.number().nullable(),
      robots: z.enum(['parsed', 'unavailable', 'unreachable', 'not-asked', 'ignored']),
    }),
  ),
  sample: z.object({
    pages: z.int(),
    ok: z.int(),
    failures: counted,
    bytesPerPage: z.int(),
    millisecondsPerPage: z.int(),
    needBrowser: z.int(),
    whyBrowser: z.string().nullable(),
  }),
  estimate: z.object({
    seconds: z.int().nullable().describe('Duration of the whole job in seconds, at the rates of its hosts.'),
    secondsPerThousandPages: z.int(),
    why: z.string().describe('What limits the time: the rate of a host or its response time.'),
    bytes: z.int().nullable(),
    browserPages: z.int().nullable(),
    browserSeconds: z.number().nullable(),
    money: z
      .number()
      .nullable()
      .describe('Uses the prices of the policy or the operator; null without prices.'),
  }),
  asked: z
    .array(
      z.object({
        url: z.string(),
        status: z.int().nullable(),
        reason: z.string().nullable(),
        bytes: z.int(),
        milliseconds: z.int(),
      }),
    )
    .describe('The requests that were sent for the plan. Their responses are not stored.'),
  notes: z.array(z.string()),
})

export type JobPlan = z.infer<typeof planShown>
export type HostPlan = JobPlan['hosts'][number]
