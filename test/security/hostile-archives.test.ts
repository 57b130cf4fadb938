// Web archives that others made, and stored records that were forged: references to other jobs, loops, wrong lengths, false digests, and
// files that decompress to thousands of times their size.
import assert from 'node:assert/strict'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { constants, deflateRawSync } from 'node:zlib'
import { checkWacz } from '../../src/results/archives/check-wacz.ts'
import { checkWarc } from '../../src/results/archives/check-warc.ts'
import { SharedBodies } from '../../src/results/exports/shared-bodies.ts'
import { openWhole } from '../../src/results/exports/sink.ts'
import { ZipFile } from '../../src/results/exports/zip.ts'
import { compress, payloadDigest } from '../../src/results/warc.ts'
import { readExchanges } from '../../src/results/warc-exchanges.ts'
import { warcMembers } from '../../src/results/warc-members.ts'
import { plainRecord } from '../../src/results/warc-parts.ts'
import { MapBlobs } from '../support/results-parts.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kscrape-archives-'))
})
after(() => rm(folder, { recursive: true, force: true }))

const megabyte = 1024 * 1024
const url = 'https://shop.example/a.css'
const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/css\r\n\r\n'

function record(type: string, body: string, fields: Record<string, string> = {}): Buffer {
  const own = {
    ...{ 'WARC-Type': type, 'WARC-Record-ID': '<urn:uuid:1>', 'WARC-Date': '2026-01-01T00:00:00Z' },
    ...{ 'WARC-Target-URI': url, 'WARC-Payload-Digest': payloadDigest(Buffer.from(body)) },
    'Kscrape-Part-Of': '<urn:uuid:0>',
  }
  const block = Buffer.from(type === 'revisit' ? head : `${head}${body}`)
  return plainRecord({ ...own, ...fields }, block)
}

test('a forged revisit record gets no body of another job, another workspace or another kind of object', async () => {
  const blobs = new MapBlobs()
  const secret = compress(record('response', 'geheim-4711'))
  for (const job of ['other', 'job~team', 'job-10'])
    await blobs.put(`jobs/${job}/segments/run.warc.gz`, secret)
  await blobs.put('sessions/shop.json', secret)
  const places = ['jobs/other/segments', 'jobs/job~team/segments', 'jobs/job-10/segments'].map(
    name => `${name}/run.warc.gz`,
  )
  const own = 'jobs/job-1/segments/run.warc.gz'
  for (const place of [...places, 'sessions/shop.json', 'jobs/job-1/../other/segments/run.warc.gz']) {
    const payloadAt = `${place} 0 ${secret.length}`
    const revisit = compress(record('revisit', 'geheim-4711', { 'Kscrape-Payload-At': payloadAt }))
    const exported = await new SharedBodies(blobs).records(revisit, own).catch(() => Buffer.alloc(0))
    for (const { block } of warcMembers(exported)) assert.ok(!block.includes('geheim-4711'), place)
  }
})

test('a revisit record is exported without a body if it refers to itself, to another body or to an invalid position', async () => {
  const key = 'jobs/job-1/segments/run.warc.gz'
  const other = compress(record('response', 'another body'))
  const blobs = new MapBlobs()
  await blobs.put(key, other)
  const places = [`${key} 0 ${other.length}`, `${key} -5 10`, `${key} 0`, `${key} 0 1e3`, 'x', '']
  for (const place of places) {
    const revisit = compress(record('revisit', 'a body', { 'Kscrape-Payload-At': place }))
    const [member] = warcMembers(await new SharedBodies(blobs).records(revisit, key))
    assert.equal(member!.headers.get('WARC-Type'), 'revisit', place)
    assert.ok(!member!.block.includes('body'), place)
  }
  const itself = compress(record('revisit', 'a body', { 'Kscrape-Payload-At': `${key} 0 200` }))
  await blobs.put(key, itself)
  const loop = new SharedBodies(blobs).records(itself, key)
  await Promise.race([loop.catch(() => null), new Promise(resolve => setImmediate(resolve))])
  assert.doesNotMatch(String(await loop.catch(() => '')), /a body/)
})

test('a record whose length is negative, missing, too large or no number ends the reading with an error', () => {
  const headLength = record('response', 'a body').indexOf('\r\n\r\n') + 4
  // With this length, the next record would begin where the first one begins.
  const loop = String(-headLength - 4 - '-100'.length + '25'.length)
  for (const length of [loop, '-100', '-0', '', '1e2', '0x10', 'NaN', '99999999999999999999', '5000']) {
    const text = record('response', 'a body').toString('latin1')
    const changed = Buffer.from(text.replace(/Content-Length: \d+/, `Content-Length: ${length}`), 'latin1')
    assert.throws(() => readExchanges(changed), { code: 'storage.failed' }, length)
    const problems: string[] = []
    checkWarc('a.warc.gz', compress(changed), (_where, what) => problems.push(what))
    assert.match(problems.join(), /cannot be read/, length)
  }
})

test('the check reports a false digest and a false content length', () => {
  const problems: string[] = []
  const lying = record('response', 'a body', { 'WARC-Payload-Digest': payloadDigest(Buffer.from('b')) })
  checkWarc('a.warc.gz', compress(lying), (_where, what) => problems.push(what))
  assert.match(problems.join(), /the payload has the digest/)
})

/** A gzip member of 20 MB of zeros, which is 20 KB. */
function bomb(): Buffer {
  const part = deflateRawSync(Buffer.alloc(megabyte), { finishFlush: constants.Z_FULL_FLUSH })
  const gzipHead = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])
  return Buffer.concat([gzipHead, ...Array<Buffer>(20).fill(part), deflateRawSync(''), Buffer.alloc(8)])
}

async function problemsOf(files: Record<string, Buffer>): Promise<string> {
  const path = join(folder, 'hostile.wacz')
  {
    await using sink = await openWhole(path)
    const zip = new ZipFile(sink)
    for (const [name, bytes] of Object.entries(files)) {
      await zip.begin(name)
      await zip.write(bytes)
      await zip.end()
    }
    await zip.finish()
    await sink.finish()
  }
  await using file = await open(path)
  const { problems } = await checkWacz(file, 4 * megabyte)
  return problems.map(({ where, what }) => `${where}: ${what}`).join('\n')
}

test('an archive whose records or index decompress beyond the limit is reported', async () => {
  const bytes = bomb()
  const text = await problemsOf({ 'archive/a.warc.gz': bytes, 'indexes/index.cdx.gz': bytes })
  assert.match(text, /archive\/a\.warc\.gz: record 1 cannot be read/)
  assert.match(text, /indexes\/index\.cdx\.gz: it cannot be decompressed/)
})

test('a ZIP directory with a false size or position is reported as an invalid file', async () => {
  const path = join(folder, 'lying.wacz')
  for (const [start, length] of [
    [0, 0xfffffffe],
    [0xfffffffe, 10],
    [0, 22],
  ]) {
    const end = Buffer.alloc(22)
    end.writeUInt32LE(0x06054b50, 0)
    end.writeUInt32LE(length!, 12)
    end.writeUInt32LE(start!, 16)
    await writeFile(path, Buffer.concat([Buffer.alloc(50), end]))
    await using file = await open(path)
    const check = checkWacz(file).then(({ problems }) => assert.ok(problems.length > 0))
    await check.catch(error => assert.equal(error.code, 'input.invalid', String(error)))
  }
})
