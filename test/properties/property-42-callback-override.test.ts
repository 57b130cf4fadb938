// Property 42: a job's own callback URL is used where it has one, and the operator's where it has none.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Face, faces, jobSpec } from '../../src/model/job.ts'
import { webhookUrlOf } from '../../src/pipeline/coordinate/notify-job-end.ts'

const url = fc.webUrl({ validSchemes: ['http', 'https'] })
const face = fc.constantFrom<Face>(...faces)
const served = fc.constantFrom<Face>(...faces.filter(name => name !== 'cli'))
const job = (from: Face, webhookUrl?: string) => ({
  face: from,
  spec: jobSpec.parse({ urls: ['https://example.com/'], ...(webhookUrl && { webhookUrl }) }),
})

test("property 42: a job's own URL wins, whatever the operator's is", () => {
  fc.assert(
    fc.property(face, url, fc.option(url, { nil: undefined }), (from, own, operators) => {
      assert.equal(webhookUrlOf(job(from, own), operators), own)
    }),
  )
})

test("property 42: without one, the operator's is used for jobs of the service", () => {
  fc.assert(
    fc.property(served, fc.option(url, { nil: undefined }), (from, operators) => {
      assert.equal(webhookUrlOf(job(from), operators), operators)
    }),
  )
})

test('a job of the command line that names no URL tells nobody', () => {
  assert.equal(webhookUrlOf(job('cli'), 'https://operator.example/'), undefined)
})
