// Property 42: the callback URL of a request replaces the operator's URL, in every API that accepts one.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { type Face, faces, jobSpec } from '../../src/model/job.ts'
import { webhookUrlOf } from '../../src/pipeline/coordinate/outputs/notify-job-end.ts'
import { Callbacks } from '../support/callbacks.ts'
import { ScrapeApi } from '../support/scrape-api.ts'

let api: ScrapeApi
let callbacks: Callbacks
before(async () => {
  callbacks = await Callbacks.open()
  api = await ScrapeApi.open({
    settings: { allowPrivate: [callbacks.place], webhookUrl: callbacks.url('/operator') },
  })
})
after(async () => {
  await api?.[Symbol.asyncDispose]()
  await callbacks?.[Symbol.asyncDispose]()
})

interface Request {
  path: string
  /** The body without a callback URL, and the name of the field for the callback URL in this API. */
  body: (url: string) => Record<string, unknown>
  name: 'callback_url' | 'webhook_url'
  jobId: (answer: Record<string, never>) => string
}

const enveloped = (answer: { data?: { job_id?: string } }) => String(answer.data?.job_id)
const plain = (answer: { job_id?: string }) => String(answer.job_id)
const page = (url: string) => ({ url, target_type: 'page' })

const requests: Request[] = [
  { path: '/api/v1/scrape', body: page, name: 'callback_url', jobId: enveloped },
  {
    path: '/api/v1/scrape/batch',
    body: url => ({ targets: [page(url)] }),
    name: 'callback_url',
    jobId: enveloped,
  },
  { path: '/jobs', body: url => ({ urls: [url] }), name: 'webhook_url', jobId: plain },
]

// Fails if `specOf` drops `callbackUrl`, if `webhookUrlOf` prefers the operator's URL, or if the webhook goes to both URLs.
test('Property 42: a webhook goes to the URL of the request, or else to the operator’s URL, and to no other URL', async () => {
  const anyPath = fc.option(fc.stringMatching(/^\/own\/[a-z0-9]{1,12}(\?k=[a-z0-9]{1,5})?$/))
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...requests), anyPath, async ({ path, body, name, jobId }, own) => {
      const { body: answer, text } = await api.service.ask<Record<string, never>>(path, {
        body: { ...body(`${api.site.url}/about`), ...(own !== null && { [name]: callbacks.url(own) }) },
      })
      const id = jobId(answer)
      assert.notEqual(id, 'undefined', text)
      await callbacks.arrived(id)
      await api.service.ended(id)
      const paths = callbacks.of(id).map(({ path: at }) => at)
      assert.deepEqual(paths, [own ?? '/operator'])
    }),
    { numRuns: 12 },
  )
})

const url = fc.webUrl({ validSchemes: ['http', 'https'] })
const anyFace = fc.constantFrom<Face>(...faces)
const job = (from: Face, webhookUrl?: string) => ({
  face: from,
  spec: jobSpec.parse({ urls: ['https://example.com/'], ...(webhookUrl && { webhookUrl }) }),
})

test("Property 42: the webhook URL of a job wins over the operator's", () => {
  fc.assert(
    fc.property(anyFace, url, fc.option(url, { nil: undefined }), (from, own, operators) => {
      assert.equal(webhookUrlOf(job(from, own), operators), own)
    }),
  )
})

test('a job that the command line starts without a webhook URL sends no webhook, even if the operator has set one', () => {
  assert.equal(webhookUrlOf(job('cli'), 'https://operator.example/'), undefined)
})
