// Tests uploads to a running service: a file is sent to a signed URL, and a job reads its rows.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startTestSite, type TestSite } from '../site/index.ts'
import { clusterSet } from '../support/cluster-set.ts'
import { eventually } from '../support/eventually.ts'
import { type Ask, TestService } from '../support/service.ts'
import { ssrfVectors } from '../vectors/ssrf.ts'

/** Skips a test in a cluster: there, clients send files directly to the bucket, and the bucket enforces the rules. */
const ownDoor = { skip: clusterSet() !== null && 'the bucket enforces these rules itself' }

const fast = { policy: { host: { rate: 'unlimited' }, retries: { attempts: 0 } } }

interface Created {
  upload_id: string
  upload_url: string
  method: string
  headers: Record<string, string>
  status: string
  expires_at: string
}

describe('the API for uploads', () => {
  let site: TestSite
  let service: TestService
  before(async () => {
    site = await startTestSite()
    service = await TestService.open({
      settings: {
        allowPrivate: [`${site.host}:${site.port}`],
        maxUploadBytes: 50_000_000,
        bodyTimeoutMs: 2_000,
        minFreeBytes: 0,
      },
    })
  })
  after(async () => {
    await service?.[Symbol.asyncDispose]()
    await site?.[Symbol.asyncDispose]()
  })

  async function create(body: Record<string, unknown>, ask: Ask = {}): Promise<Created> {
    const answer = await service.ask<Created>('/uploads', { ...ask, body })
    assert.equal(answer.status, 201, answer.text)
    return answer.body
  }

  const put = (url: string, body: BodyInit, headers: Record<string, string> = {}) =>
    fetch(url, { method: 'PUT', body, headers, duplex: 'half' } as RequestInit)

  async function uploaded(fileName: string, content: string | Uint8Array): Promise<string> {
    const { upload_id: id, upload_url: url } = await create({ file_name: fileName })
    const answer = await put(url, content as BodyInit)
    assert.equal(answer.status, 200, await answer.text())
    return id
  }

  const left = (): string[] =>
    readdirSync(join(service.folder, 'blobs/uploads'), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => entry.name)

  const pages = () => [`${site.url}/about`, `${site.url}/jobs`]

  const files: Array<[name: string, content: () => string | Uint8Array]> = [
    ['urls.txt', () => pages().join('\n')],
    [
      'urls.csv',
      () =>
        `name,url\n${pages()
          .map(url => `x,${url}`)
          .join('\n')}\n`,
    ],
    [
      'urls.tsv',
      () =>
        `name\turl\n${pages()
          .map(url => `x\t${url}`)
          .join('\n')}\n`,
    ],
    ['urls.json', () => JSON.stringify(pages().map(url => ({ url })))],
    [
      'urls.jsonl',
      () =>
        pages()
          .map(url => JSON.stringify({ url }))
          .join('\n'),
    ],
    ['urls.csv.gz', () => gzipSync(`url\n${pages().join('\n')}\n`)],
    ['urls.gz', () => gzipSync(pages().join('\n'))],
    ['rows', () => Buffer.from(`\uFEFF${pages().join('\n')}`, 'utf16le')],
  ]
  for (const [name, content] of files)
    test(`${name} is sent to its URL and gives a record for each row`, async () => {
      const jobId = await service.submit({ upload_id: await uploaded(name, content()), ...fast })
      assert.equal((await service.ended(jobId)).status, 'completed')
      const { body } = await service.ask<{ items: Array<{ url: string }> }>(`/jobs/${jobId}/results`)
      assert.deepEqual(body.items.map(({ url }) => url).sort(), pages())
    })

  test('an upload can be listed, shown and deleted by its own workspace, and by no other', async () => {
    const created = await create({ file_name: 'a b/'.replace('/', '.csv') })
    assert.equal(created.status, 'waiting')
    assert.equal(created.method, 'PUT')
    const other = await service.key({ workspace: 'elsewhere' })
    const path = `/uploads/${created.upload_id}`
    for (const ask of [{ key: other }, { key: other, method: 'DELETE' }])
      assert.equal((await service.ask(path, ask)).status, 404)
    assert.equal(
      (await service.ask('/jobs', { body: { upload_id: created.upload_id }, key: other })).status,
      404,
    )
    await put(created.upload_url, 'url\nhttps://a.example/\n')
    const shown = await service.ask<Record<string, unknown>>(path)
    assert.deepEqual([shown.body.status, shown.body.bytes, shown.body.file_name], ['complete', 23, 'a b.csv'])
    const list = await service.ask<{ uploads: Array<{ upload_id: string }>; next_cursor: string }>(
      '/uploads?limit=1',
    )
    assert.equal(list.body.uploads[0]?.upload_id, created.upload_id)
    const next = await service.ask<{ uploads: unknown[] }>(`/uploads?cursor=${list.body.next_cursor}`)
    assert.ok(next.body.uploads.length > 0)
    assert.equal((await service.ask(path, { method: 'DELETE' })).status, 200)
    assert.equal((await service.ask(path)).status, 404)
    assert.equal((await service.ask('/uploads?cursor=AAAA')).status, 422)
  })

  test('a file is accepted only at its signed URL, once, and until the URL expires', ownDoor, async () => {
    const { upload_url: url, upload_id: id } = await create({ file_name: 'urls.txt' })
    const changed = [
      url.replace(/signature=.{4}/, 'signature=AAAA'),
      url.replace(/expires=\d/, 'expires=9'),
      `${url}&bytes=3`,
      url.replace(id, (await create({ file_name: 'urls.txt' })).upload_id),
    ]
    for (const other of changed) assert.equal((await put(other, 'x')).status, 403, other)
    assert.equal((await put(url.replace(/\?.*/, ''), 'x')).status, 422)
    assert.equal((await put(url, 'x', { 'content-type': 'application/json' })).status, 200)
    assert.equal((await put(url, 'y')).status, 409)
  })

  test(
    'if a file differs from its announced size or hash, it is refused, and no part of it is stored',
    ownDoor,
    async () => {
      const before = left()
      const sha256 = createHash('sha256').update('one\n').digest('hex')
      const body = { file_name: 'urls.txt', bytes: 4, sha256 }
      for (const content of ['two\n', 'on', 'one\none\n']) {
        const answer = await put((await create(body)).upload_url, content)
        assert.equal(answer.status, 422, content)
        const { error } = (await answer.json()) as { error: { field: string } }
        assert.equal(error.field, content === 'two\n' ? 'sha256' : 'bytes')
      }
      assert.deepEqual(left(), before)
      const right = await put((await create(body)).upload_url, 'one\n')
      assert.equal(((await right.json()) as { sha256: string }).sha256, sha256)
    },
  )

  test(
    'a file above the limit is refused, both when it is announced and when it arrives',
    ownDoor,
    async () => {
      assert.equal(
        (await service.ask('/uploads', { body: { file_name: 'a', bytes: 50_000_001 } })).status,
        413,
      )
      const before = left()
      const { upload_url: url } = await create({ file_name: 'urls.txt' })
      let sent = 0
      const endless = new ReadableStream({
        pull: controller => {
          sent += 1
          controller.enqueue(new Uint8Array(1_000_000))
        },
      })
      // A client that is still sending gets either the response or a closed connection.
      const status = await put(url, endless).then(
        answer => answer.status,
        () => 413,
      )
      assert.equal(status, 413)
      assert.ok(sent < 200)
      assert.deepEqual(left(), before)
    },
  )

  test('an upload that is incomplete or stalls leaves no file, and can be sent again', ownDoor, async () => {
    const { upload_url: url, upload_id: id } = await create({ file_name: 'urls.txt' })
    const { pathname, search, port } = new URL(url)
    const half = `PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf of it`
    for (const isCut of [true, false]) {
      const socket = connect(Number(port), '127.0.0.1')
      socket.on('error', () => {})
      socket.write(half)
      await once(socket, 'connect')
      if (isCut) socket.destroy()
      else {
        const [answer] = await once(socket, 'data')
        assert.match(String(answer), /^HTTP\/1\.1 408 /)
      }
    }
    assert.equal((await service.ask<{ status: string }>(`/uploads/${id}`)).body.status, 'waiting')
    assert.equal((await service.ask('/jobs', { body: { upload_id: id } })).status, 409)
    assert.equal((await put(url, 'https://a.example/')).status, 200)
  })

  test('an upload with a path as its file name, or with an unknown field, is refused', async () => {
    for (const fileName of ['../etc/passwd', 'a/b.txt', 'a\\b', '', 'x'.repeat(256), 'a\0b', '..']) {
      const answer = await service.ask<{ error: { field: string } }>('/uploads', {
        body: { file_name: fileName },
      })
      assert.equal(answer.status, 422, fileName)
      assert.equal(answer.body.error.field, 'file_name')
    }
    assert.equal((await service.ask('/uploads', { body: { name: 'a' } })).status, 422)
    assert.equal((await service.ask('/jobs', { body: { upload_id: 'nowhere' } })).status, 404)
  })

  test('an upload can be deleted once its rows have been read, even while its pages are in flight', async () => {
    const hold = site.hold('/held')
    const id = await uploaded('urls.txt', `${site.url}/held\n`)
    const jobId = await service.submit({ upload_id: id, ...fast })
    await hold.arrived()
    // In a cluster, the first rows are fetched while the file is still read.
    await eventually('all rows are read', async () => {
      const { body } = await service.ask<{ ingest: { done: boolean } }>(`/jobs/${jobId}/status`)
      return body.ingest.done
    })
    assert.equal((await service.ask(`/uploads/${id}`, { method: 'DELETE' })).status, 200)
    hold.release()
    await service.ended(jobId)
  })

  test('a repeated request gets the job of the first request, even if its upload was deleted meanwhile', async () => {
    const id = await uploaded('urls.txt', `${site.url}/\n`)
    const ask = { body: { upload_id: id, ...fast }, headers: { 'idempotency-key': 'gone-meanwhile' } }
    const first = await service.ask<{ job_id: string }>('/jobs', ask)
    await service.ended(first.body.job_id)
    assert.equal((await service.ask(`/uploads/${id}`, { method: 'DELETE' })).status, 200)

    const again = await service.ask<{ job_id: string }>('/jobs', ask)

    assert.deepEqual([again.status, again.body.job_id], [202, first.body.job_id], again.text)
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
  })
})

test('jobs, uploads, fetches and scrapes accept no storage endpoint: only the operator chooses where files are stored', async () => {
  await using service = await TestService.open()
  const vectors = ssrfVectors('surface').filter(({ surface }) => surface === 'storage_endpoint')
  assert.ok(vectors.length > 0)
  const bodies: Array<[path: string, body: Record<string, unknown>]> = [
    ['/jobs', { urls: ['https://a.example/'] }],
    ['/uploads', { file_name: 'urls.txt' }],
    ['/fetch/start', { links: ['https://a.example/'] }],
    ['/fetch/start', { links: ['https://a.example/'], options: {} }],
    ['/api/v1/scrape', { url: 'https://a.example/', target_type: 'page' }],
  ]
  for (const { input } of vectors)
    for (const [path, body] of bodies) {
      const given = JSON.parse(input) as Record<string, unknown>
      const sent = 'options' in body ? { ...body, options: given } : { ...body, ...given }
      const answer = await service.ask(path, { body: sent })
      assert.equal(answer.status, 422, `${path} ${answer.text}`)
      assert.match(answer.text, /s3_endpoint/)
    }
})
