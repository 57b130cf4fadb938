// Tests the backup of a data directory while a service uses it. The job then continues from the backup in another folder.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { restoreBackup } from '../../../src/maintain/backup/restore-backup.ts'
import { writeBackup } from '../../../src/maintain/backup/write-backup.ts'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { eventually } from '../../support/eventually.ts'
import { TestService } from '../../support/service.ts'
import { Workplace } from '../run-cli.ts'

const pages = 40
let site: TestSite
let place: Workplace
let bundle: string
/** The number of succeeded tasks when the backup began, and when the service stopped. */
const atBackup = { least: 0, most: 0 }

const settings = () => ({ allowPrivate: [`${site.host}:${site.port}`] })
const urls = () => Array.from({ length: pages }, (_, n) => `${site.url}/leaf/${n}`)

async function succeeded(service: TestService): Promise<number> {
  const { body } = await service.ask<{ counts: { by_state: Record<string, number> } }>('/jobs/half/status')
  return body.counts.by_state.succeeded ?? 0
}

before(async () => {
  site = await startTestSite()
  place = await Workplace.open()
  bundle = place.file('backups/half.tar')
  const service = await TestService.open({ settings: settings() }, place.file('data'))
  const output = [{ path: 'out.jsonl', format: 'jsonl' }]
  // The job must not end before the backup starts, however long that takes.
  using _last = site.hold(`/leaf/${pages - 1}`)
  await service.submit({ job_id: 'half', urls: urls(), policy: { host: { rate: 20 } }, output })
  await eventually('some pages', async () => (await succeeded(service)) > 4)
  atBackup.least = await succeeded(service)
  const { code, stderr } = await place.run(['backup', bundle, '--data-dir', place.file('data')])
  assert.equal(code, 0, stderr)
  assert.match(stderr, /read again and verified/)
  atBackup.most = await succeeded(service)
  await service.close()
})

after(async () => {
  await place[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

test('a job can continue from a backup made while it ran, and no work is lost or duplicated', async () => {
  const restored = await place.run(['restore', bundle, '--data-dir', place.file('elsewhere')])
  assert.equal(restored.code, 0, restored.stderr)
  assert.match(restored.stderr, /1 jobs had not ended \(half\)/)
  const askedBefore = site.requests.length

  await using service = await TestService.open({ settings: settings() }, place.file('elsewhere'))
  const status = await service.ended('half')

  assert.equal(status.status, 'completed')
  const records = (await service.ask('/jobs/half/export?format=jsonl')).text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  assert.deepEqual(records.map(record => record._page.url).sort(), urls().sort())
  const file = await readFile(join(place.file('elsewhere'), 'exports/half/out.jsonl'), 'utf8')
  assert.equal(file.trim().split('\n').length, pages)
  const asked = site.requests.slice(askedBefore).filter(({ url }) => url.startsWith('/leaf/')).length
  assert.ok(
    asked <= pages - atBackup.least,
    `${asked} pages were requested, ${atBackup.least} were in the backup`,
  )
  assert.ok(asked >= pages - atBackup.most - 40, 'tasks after the backup run again')
  await service.close()
  const { code, stdout, stderr } = await place.run([
    ...['jobs', 'export', 'half', '--data-dir', place.file('elsewhere'), '-o', 'pages.warc.gz'],
  ])
  assert.equal(code, 0, stdout + stderr)
})

test('any tar program can open a backup, and sha256sum confirms its checksums', async () => {
  await mkdir(place.file('opened'))
  execFileSync('tar', ['-xf', bundle, '-C', place.file('opened')])
  execFileSync('sha256sum', ['--quiet', '-c', 'checksums.sha256'], { cwd: place.file('opened') })
  const note = JSON.parse(await readFile(place.file('opened/kscrape-backup.json'), 'utf8'))
  assert.equal(note.data_dir, place.file('data'))
})

test('a compressed backup is restored like any other', async () => {
  const packed = place.file('packed.tar.gz')
  await writeBackup(place.file('data'), packed, { force: false }, { tell() {}, complain() {} })
  const { code, stderr } = await place.run(['restore', packed, '--data-dir', place.file('unpacked')])
  assert.equal(code, 0, stderr)
  const { stdout } = await place.run(['jobs', 'list', '--json', '--data-dir', place.file('unpacked')])
  assert.equal(JSON.parse(stdout).job_id, 'half')
  const bytes = await readFile(packed)
  await writeFile(packed, bytes.subarray(0, bytes.length - 2_000))
  const cut = await place.run(['restore', packed, '--check'])
  assert.equal(cut.code, 2)
  assert.match(cut.stderr, /packed\.tar\.gz is broken/)
})

test('a restore does not change a directory with files, unless --force is given', async () => {
  const data = place.file('busy')
  await mkdir(data)
  await writeFile(join(data, 'of-mine.txt'), 'kept')
  const refused = await place.run(['restore', bundle, '--data-dir', data])
  assert.equal(refused.code, 2)
  assert.match(refused.stderr, /busy is not empty \(of-mine\.txt\).*--force/)
  assert.equal(await readFile(join(data, 'of-mine.txt'), 'utf8'), 'kept')
  assert.equal((await place.run(['restore', bundle, '--data-dir', data, '--force'])).code, 0)
  await assert.rejects(readFile(join(data, 'of-mine.txt')))
  assert.match((await place.run(['jobs', 'list', '--data-dir', data])).stdout, /half/)
})

test('a damaged or truncated backup is refused, the error names the file, and no file changes', async () => {
  const data = place.file('untouched')
  await mkdir(data)
  await writeFile(join(data, 'of-mine.txt'), 'kept')
  const whole = await readFile(bundle)
  const damaged = Buffer.from(whole)
  const at = damaged.indexOf('SQLite format 3') + 5_000
  damaged[at] = damaged[at]! ^ 0xff
  await writeFile(place.file('damaged.tar'), damaged)
  await writeFile(place.file('cut.tar'), whole)
  await truncate(place.file('cut.tar'), Math.floor(whole.length / 2))
  await writeFile(place.file('other.tar'), 'no archive at all')
  for (const [name, message] of [
    ['damaged.tar', /damaged\.tar is broken: the entry store\.sqlite does not match its checksum/],
    ['cut.tar', /cut\.tar is broken: it is cut off in/],
    ['other.tar', /other\.tar is broken/],
    ['missing.tar', /missing\.tar.*no such file/],
  ] as const) {
    const restoring = restoreBackup(place.file(name), data, { force: true, tell() {} })
    await assert.rejects(restoring, { message })
    assert.equal(await readFile(join(data, 'of-mine.txt'), 'utf8'), 'kept')
  }
})

test('a restore does not overwrite a data directory in use', async () => {
  await using service = await TestService.open({ settings: settings() }, place.file('in-use'))
  const { code, stderr } = await place.run(['restore', bundle, '--data-dir', service.folder, '--force'])
  assert.notEqual(code, 0)
  assert.match(stderr, /in use by process/)
})

test('a backup that would be inside the data directory, would replace another file, or is of a cluster is refused', async () => {
  const data = ['--data-dir', place.file('data')]
  const inside = await place.run(['backup', place.file('data/backup.tar'), ...data])
  assert.match(inside.stderr, /is inside the data directory/)
  const again = await place.run(['backup', bundle, ...data])
  assert.match(again.stderr, /exists; name another file.*--force/)
  const cluster = await place.run(['backup', 'here'], { env: { DATABASE_URL: 'postgres://u:p@db/kscrape' } })
  assert.equal(cluster.code, 2)
  assert.match(cluster.stderr, /pg_dump.*docs\/backup-retention-erasure\.md/)
})
