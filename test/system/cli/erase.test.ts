// Tests that the data of one host is erased everywhere, and that another host in the same jobs keeps all its data.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { unpack } from '../../../src/results/unpack.ts'
import { eventually } from '../../support/eventually.ts'
import { holdsMark, type MarkedSite, startMarkedSite } from '../../support/marked-site.ts'
import { operatorKey, TestService } from '../../support/service.ts'
import { Workplace } from '../run-cli.ts'

interface Receipt {
  counts: Record<string, number>
  notes: string[]
  by: string
  never_again: boolean
}

const marks = { gone: 'zebramarkone', stays: 'quaggamarktwo' }
let gone: MarkedSite
let stays: MarkedSite
let service: TestService
let place: Workplace

const settings = () => ({ allowPrivate: [gone.host, stays.host], rate: 'unlimited' as const })

before(async () => {
  gone = await startMarkedSite(marks.gone)
  stays = await startMarkedSite(marks.stays)
  place = await Workplace.open()
  service = await TestService.open({ settings: settings() })
})

after(async () => {
  await service[Symbol.asyncDispose]()
  await place[Symbol.asyncDispose]()
  await gone[Symbol.asyncDispose]()
  await stays[Symbol.asyncDispose]()
})

const both = (path: string) => [gone, stays].map(({ url }) => `${url}${path}`)

function unpacked(bytes: Buffer): Buffer[] {
  try {
    return [unpack(bytes)]
  } catch {
    return []
  }
}

/** Files below a folder that contain the mark. */
async function marked(folder: string, mark: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = names.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
  const found = await Promise.all(
    files.map(async file =>
      holdsMark(await readFile(file), mark, unpacked) ? [file.slice(folder.length)] : [],
    ),
  )
  return found.flat()
}

const exported = async (jobId: string, format: string) => {
  const response = await fetch(`${service.url}/jobs/${jobId}/export?format=${format}`, {
    headers: { authorization: `Bearer ${operatorKey}` },
  })
  return Buffer.from(await response.arrayBuffer())
}

test('no data of an erased host is left in the data directory, and data of other hosts is complete', async () => {
  const output = [
    { path: 'out.jsonl', format: 'jsonl' },
    { path: 'pages.warc.gz', format: 'warc.gz' },
  ]
  const more = { session: 'kept', max_age_ms: 3_600_000 }
  await service.submit({ job_id: 'mixed', urls: [...both('/a'), ...both('/b')], output, ...more })
  await service.submit({
    job_id: 'items',
    urls: both('/c'),
    results: { layout: 'items' },
    webhook_url: `${stays.url}/hook`,
  })
  await service.submit({ job_id: 'parquet', urls: both('/d'), results: { raw: 'parquet' } })
  for (const jobId of ['mixed', 'items', 'parquet']) await service.ended(jobId)
  await eventually('the index', async () => {
    const { text } = await service.ask(`/search?q=${marks.gone}`)
    return text.includes('/a') && text.includes('/d')
  })
  assert.ok((await marked(service.folder, marks.gone)).length >= 5, 'the mark was stored before')

  const dry = await service.ask<Receipt>(`/hosts/${gone.host}/data?dry_run=true`, { method: 'DELETE' })
  assert.equal(dry.status, 200, dry.text)
  assert.ok((await marked(service.folder, marks.gone)).length >= 5, 'a dry run changes nothing')

  const { status, body, text } = await service.ask<Receipt>(`/hosts/${gone.host}/data`, { method: 'DELETE' })
  assert.equal(status, 200, text)
  assert.deepEqual(body.counts, dry.body.counts)
  const { jobs, tasks, records, pages, robots, exports } = body.counts
  assert.deepEqual({ jobs, tasks, records, robots }, { jobs: 3, tasks: 4, records: 4, robots: 1 })
  assert.equal(pages, 3)
  // Two files of the service, and one or more Parquet parts of one job.
  assert.ok(exports! >= 3, String(exports))
  assert.equal(body.by, 'operator')
  const partitions = await readdir(join(service.folder, 'blobs/jobs/parquet/raw'))
  for (const name of partitions.filter(one => one.startsWith('domain=')))
    assert.deepEqual(await readdir(join(service.folder, 'blobs/jobs/parquet/raw', name)), [], name)

  assert.deepEqual(await marked(service.folder, marks.gone), [])
  const left = await marked(service.folder, marks.stays)
  for (const file of ['/store.sqlite', '/exports/mixed/out.jsonl', '/exports/mixed/pages.warc.gz'])
    assert.ok(left.includes(file), `${file} still has the other host`)
  assert.ok(left.some(file => file.includes('/blobs/jobs/mixed/segments/')))
  assert.ok(left.some(file => file.includes('/blobs/jobs/items/items/')))

  const rows = (await exported('mixed', 'jsonl')).toString().trim().split('\n')
  assert.deepEqual(rows.map(row => JSON.parse(row)._page.url).sort(), [`${stays.url}/a`, `${stays.url}/b`])
  assert.match(gunzipSync(await exported('mixed', 'warc.gz')).toString('latin1'), new RegExp(marks.stays))
  const part = await readFile(join(service.folder, 'blobs/jobs/mixed/manifests/full/part-1.json'), 'utf8')
  const urls = (JSON.parse(part) as Array<{ url: string }>).map(({ url }) => url)
  assert.deepEqual(urls.sort(), [
    `${stays.url}/a`,
    `${stays.url}/b`,
    'https://erased.invalid/',
    'https://erased.invalid/',
  ])
  const { body: job } = await service.ask<{ status: string; counts: { records: number } }>(
    '/jobs/mixed/status',
  )
  assert.deepEqual([job.status, job.counts.records], ['completed', 2])
  assert.ok((await readdir(join(service.folder, 'blobs/erasures'))).length === 1, 'the receipt is stored')
  assert.ok(service.logged.some(line => line.message === 'the data of a host was erased'))
})

test('nothing is erased while a job requests the host; --and-never-again first ends the tasks at the host, and forbids further requests', async () => {
  const release = Promise.withResolvers<void>()
  gone.hold = release.promise
  const policy = { host: { rate: 'unlimited', concurrency: 1 } }
  const before = gone.requests
  await service.submit({ job_id: 'busy', urls: [`${gone.url}/x`, `${gone.url}/y`, `${stays.url}/x`], policy })
  await eventually('the page is requested', () => gone.requests > before)
  const refused = await service.ask(`/hosts/${gone.host}/data`, { method: 'DELETE' })
  assert.equal(refused.status, 409)
  assert.match(refused.text, /busy.*--and-never-again/)

  const erasing = service.ask<Receipt>(`/hosts/${gone.host}/data?and_never_again=true&reason=asked`, {
    method: 'DELETE',
  })
  await eventually('the list', async () => (await service.ask('/do-not-crawl')).text.includes(gone.host))
  gone.hold = null
  release.resolve()
  const { status, body, text } = await erasing
  assert.equal(status, 200, text)
  assert.equal(body.never_again, true)
  const ended = await service.ended('busy')
  assert.equal(ended.status, 'completed')
  assert.deepEqual(await marked(service.folder, marks.gone), [])
  const asked = gone.requests
  await service.submit({ job_id: 'again', urls: [`${gone.url}/z`] })
  await service.ended('again')
  assert.equal(gone.requests, asked)
})

test('only an operator may erase a host, and only as a whole', async () => {
  const key = await service.key({ name: 'other', workspace: 'other', scopes: ['admin'] })
  assert.equal((await service.ask(`/hosts/${stays.host}/data`, { method: 'DELETE', key })).status, 403)
  const reader = await service.key({ name: 'reader', scopes: ['read', 'submit'] })
  assert.equal(
    (await service.ask(`/hosts/${stays.host}/data`, { method: 'DELETE', key: reader })).status,
    403,
  )
  const part = await service.ask(`/hosts/${encodeURIComponent('shop.example/path')}/data`, {
    method: 'DELETE',
  })
  assert.equal(part.status, 422)
})

test('the command shows what it would delete, deletes it with --yes, and prints the receipt', async () => {
  const flags = ['--allow-private', gone.host, '--allow-private', stays.host, '--rate', 'unlimited']
  const urls = both('/cli').join('\n')
  const run = await place.run(['run', '-', '-o', 'mine.jsonl', '--job', 'listed', ...flags], { stdin: urls })
  assert.equal(run.code, 0, run.stderr)
  const asked = await place.run(['erase', '--host', gone.host])
  assert.equal(asked.code, 2)
  assert.match(asked.stdout, /would be erased[\s\S]* 1 {2}records/)
  assert.match(asked.stderr, /add --yes/)
  const data = place.file('.kscrape')
  assert.ok((await marked(data, marks.gone)).length > 0)

  const erased = await place.run(['erase', '--host', gone.host, '--yes', '--and-never-again', '--json'])
  assert.equal(erased.code, 0, erased.stderr)
  const receipt = JSON.parse(erased.stdout) as Receipt
  assert.equal(receipt.counts.records, 1)
  assert.match(receipt.notes.join('\n'), /mine\.jsonl .*was not changed/)
  assert.deepEqual(await marked(data, marks.gone), [])
  assert.ok((await marked(data, marks.stays)).length > 0)
  const listed = await place.run(['do-not-crawl', 'list'])
  assert.match(listed.stdout, new RegExp(gone.host))
})
