// Seed 001 (an earlier specification): runs the steps of its diagram. A client gets a signed URL, uploads a file, submits a job
// and disconnects, and the job has results.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { startTestSite, type TestSite } from '../site/index.ts'
import { operatorKey, TestService } from '../support/service.ts'

let site: TestSite
let service: TestService
before(async () => {
  site = await startTestSite()
  service = await TestService.open({ settings: { allowPrivate: [`${site.host}:${site.port}`] } })
})
after(async () => {
  await service?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
})

const fast = { policy: { host: { rate: 'unlimited' } } }

/** Sends a request and cuts the connection with the first byte of the response. */
function submitAndLeave(body: object): Promise<string> {
  const { hostname, port } = new URL(service.url)
  const text = JSON.stringify(body)
  const head = [
    'POST /jobs HTTP/1.1',
    `Host: ${hostname}`,
    `Authorization: Bearer ${operatorKey}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
  ]
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(`${head.join('\r\n')}\r\n\r\n${text}`))
    socket.on('error', reject)
    socket.once('data', bytes => {
      socket.destroy()
      resolve(String(bytes).slice(0, 12))
    })
  })
}

test('a file is uploaded to its signed URL and a job reads it, even if the client disconnects after the 202', async () => {
  const urls = Array.from({ length: 20 }, (_, index) => `${site.url}/rows/${index}`)
  for (const url of urls) site.serve(new URL(url).pathname, '<h1>A row</h1>')
  type Created = { upload_id: string; upload_url: string; headers: Record<string, string> }
  const { body } = await service.ask<Created>('/uploads', { body: { file_name: 'urls.txt' } })
  const sent = await fetch(body.upload_url, { method: 'PUT', headers: body.headers, body: urls.join('\n') })
  assert.equal(sent.status, 200)
  assert.equal(await submitAndLeave({ upload_id: body.upload_id, ...fast }), 'HTTP/1.1 202')
  const [job] = (await service.ask<{ jobs: Array<{ job_id: string }> }>('/jobs')).body.jobs
  assert.equal((await service.ended(job!.job_id)).status, 'completed')
  const results = await service.ask<{ items: Array<{ url: string }> }>(`/jobs/${job!.job_id}/results`)
  assert.deepEqual(results.body.items.map(({ url }) => url).sort(), urls.sort())
})
