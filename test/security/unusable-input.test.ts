// Tests that unusable input fails with a reason: a PDF that cannot be read, and an upload without a usable row.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startTestSite, type TestSite } from '../site/index.ts'
import { TestService } from '../support/service.ts'

interface Shown {
  status: string
  reason: string | null
}

interface Item {
  status: string
  reason: string
  message: string | null
}

let site: TestSite
let service: TestService
before(async () => {
  site = await startTestSite()
  service = await TestService.open({
    settings: { allowPrivate: [`${site.host}:${site.port}`], rate: 'unlimited' },
  })
})
after(async () => {
  await service?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
})

const jobOf = async (jobId: string) => (await service.ask<Shown>(`/jobs/${jobId}`)).body

for (const [what, body] of [
  ['broken', '%PDF-1.7\nnothing of the kind'],
  ['empty after its header', '%PDF-1.4\n%%EOF\n'],
] as const)
  test(`a PDF that is ${what} fails its task with the reason`, async () => {
    site.serve('/report.pdf', { headers: { 'content-type': 'application/pdf' }, body })
    const jobId = await service.submit({ urls: [`${site.url}/report.pdf`] })
    await service.ended(jobId)
    const { body: shown } = await service.ask<{ items: Item[] }>(`/jobs/${jobId}/items`)
    const [task] = shown.items
    assert.deepEqual([task?.status, task?.reason], ['failed', 'content.unreadable'])
    assert.match(task?.message ?? '', /report\.pdf is a PDF that cannot be read: .+/)
    assert.equal((await jobOf(jobId)).status, 'failed')
  })

test('an upload whose rows were all rejected fails the job with the first reason', async () => {
  const upload_id = await uploaded('url\nfile:///etc/passwd\nnonsense\n')
  const jobId = await service.submit({ upload_id })
  await service.ended(jobId)
  const { status, reason } = await jobOf(jobId)
  assert.equal(status, 'failed')
  assert.match(reason ?? '', /2 of 2 rows were rejected; row 2: no http or https URL/)
})

test('if an upload has one good row among bad rows, the good row runs', async () => {
  const upload_id = await uploaded(`url\nnonsense\n${site.url}/about\n`)
  const jobId = await service.submit({ upload_id })
  await service.ended(jobId)
  assert.deepEqual(await jobOf(jobId).then(({ status, reason }) => [status, reason]), ['completed', null])
})

test('an upload that decompresses to millions of rows fails the job with the reason', async () => {
  const bombs: Array<[Uint8Array, RegExp]> = [
    [gzipSync('url\n'.padEnd(8_000_000, '\n')), /all of them are empty/],
    [
      gzipSync(`url\n${site.url}/about\n`.padEnd(8_000_000, 'a')),
      /more than 200 times its size|Max Record Size/,
    ],
  ]
  for (const [content, expected] of bombs) {
    const jobId = await service.submit({ upload_id: await uploaded(content) })
    await service.ended(jobId)
    const { status, reason } = await jobOf(jobId)
    assert.ok(status === 'failed' || status === 'partially_completed', status)
    assert.match(reason ?? '', expected)
  }
})

async function uploaded(content: string | Uint8Array): Promise<string> {
  const { body } = await service.ask<{ upload_id: string; upload_url: string }>('/uploads', {
    body: { file_name: 'rows.csv' },
  })
  const answer = await fetch(body.upload_url, { method: 'PUT', body: content as BodyInit })
  assert.equal(answer.status, 200, await answer.text())
  return body.upload_id
}
