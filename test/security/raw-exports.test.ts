// Promise: a raw export has only pages of its own job. Other programs may write to the bucket, so its objects are not trusted.
import assert from 'node:assert/strict'
import { copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { found } from '../support/eventually.ts'
import { html, ListeningSite } from '../support/listening-site.ts'
import { TestService } from '../support/service.ts'

let site: ListeningSite
let service: TestService
let alpha: string
let beta: string
before(async () => {
  site = await ListeningSite.open({ '/alpha': html('geheim-4711'), '/beta': html('page of beta') })
  service = await TestService.open({ settings: { allowPrivate: [site.place], rate: 'unlimited' } })
  alpha = await service.key({ workspace: 'alpha', scopes: ['read', 'submit'] })
  beta = await service.key({ workspace: 'beta', scopes: ['read', 'submit'] })
})
after(async () => {
  await service?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
})

interface Report {
  state: string
  rows: number
  prefix: string
  error?: { code: string; message: string }
}

const reportOf = (id: string, key: string) => service.ask<Report>(`/jobs/${id}/raw-export`, { key })

async function ended(id: string, path: string, key: string): Promise<void> {
  const policy = { host: { rate: 'unlimited' } }
  await service.ended(await service.submit({ job_id: id, urls: [`${site.url}${path}`], policy }, { key }), {
    key,
  })
}

async function exported(id: string, key: string): Promise<string[]> {
  await service.ask(`/jobs/${id}/raw-export`, { key, method: 'POST' })
  await found('the export', async () =>
    (await reportOf(id, key)).body.state === 'complete' ? true : undefined,
  )
  return await filesOf(id, key)
}

async function filesOf(id: string, key: string): Promise<string[]> {
  const { body } = await service.ask<{ files: Array<{ path: string }> }>(`/jobs/${id}/raw-export/files`, {
    key,
  })
  return body.files.map(({ path }) => path)
}

const fileOf = (id: string, path: string, key: string) =>
  service.ask(`/jobs/${id}/raw-export/files/${encodeURIComponent(path)}`, { key })

test('jobs of two workspaces with the same id have separate raw exports', async () => {
  await ended('same', '/alpha', alpha)
  const missing = ['/raw-export', '/raw-export/files', '/raw-export/files/x']
  for (const path of missing)
    assert.equal((await service.ask(`/jobs/same${path}`, { key: beta })).status, 404, path)
  const [ofAlpha] = await exported('same', alpha)
  await ended('same', '/beta', beta)
  assert.equal((await reportOf('same', beta)).body.state, 'none')
  const [ofBeta] = await exported('same', beta)
  assert.notEqual(ofAlpha, ofBeta)
  assert.equal((await fileOf('same', ofAlpha!, alpha)).status, 200)
  assert.equal((await fileOf('same', ofAlpha!, beta)).status, 404)
  for (const folder of ['same', 'same~alpha', '../same~alpha', 'jobs/same~alpha'])
    for (const path of [`../../${folder}/raw/${ofAlpha}`, `../${folder}/raw/${ofAlpha}`]) {
      const { status, text } = await fileOf('same', path, beta)
      assert.ok([404, 422].includes(status), path)
      assert.ok(!text.includes('PAR1'), path)
    }
})

test('objects that the export did not write are neither listed nor served', async () => {
  await ended('forged', '/alpha', alpha)
  const [own] = await exported('forged', alpha)
  const folder = await folderOf('forged')
  const forged = [
    own!.replace('part-1-', 'part-2-'),
    own!.replace(/-[0-9a-f]+\.parquet$/, '-00000001ffffffff.parquet'),
    'domain=other/date=2026-01-01/seal.key',
    'notes.txt',
  ]
  for (const path of forged) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await copyFile(join(folder, own!), join(folder, path))
  }
  assert.deepEqual(await filesOf('forged', alpha), [own])
  const states = (await readdir(folder)).filter(name => name.endsWith('.json'))
  for (const path of [...forged, ...states])
    assert.equal((await fileOf('forged', path, alpha)).status, 404, path)
})

test('a damaged state object is named in the error, and the export starts again once the object is deleted', async () => {
  await ended('damaged', '/alpha', alpha)
  await exported('damaged', alpha)
  const folder = await folderOf('damaged')
  const name = '_kscrape-00000009-ffffffff.json'
  for (const text of ['', 'garbage', '[]', 'null', '{"runs":"x"}', '{"runs":[1]}', '{"tasks":5}']) {
    await writeFile(join(folder, name), text)
    const asks = [
      reportOf('damaged', alpha),
      service.ask<Report>('/jobs/damaged/raw-export/files', { key: alpha }),
      service.ask<Report>('/jobs/damaged/raw-export', { key: alpha, method: 'POST' }),
    ]
    for (const { status, body } of await Promise.all(asks)) {
      assert.deepEqual([status, body.error?.code], [503, 'storage.failed'], text)
      assert.match(body.error!.message, new RegExp(name), text)
    }
  }
  await rm(join(folder, name))
  assert.equal((await exported('damaged', alpha)).length, 1)
})

/** The folder of the export in the blob folder of the service. */
async function folderOf(id: string): Promise<string> {
  const jobs = join(service.folder, 'blobs', 'jobs')
  const stored = (await readdir(jobs)).find(name => name === id || name.startsWith(`${id}~`))
  assert.ok(stored, id)
  return join(jobs, stored, 'raw')
}
