// Tests that stored headers, proxies and sessions are sealed, that the seal key can be changed, and that the data directory is
// private.
import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { openSealer } from '../../src/adapters/fs/sealer.ts'
import { settingsSchema } from '../../src/config/settings.ts'
import { openHeaders } from '../../src/pipeline/submit/sealed-headers.ts'
import { layKeys } from '../../src/roles/cluster/task-services/shared-keys.ts'
import { ownDataDirectory } from '../../src/roles/data-directory.ts'
import { rotateSeal } from '../../src/roles/maintenance/rotate-seal.ts'
import { openSessions } from '../../src/roles/sessions.ts'
import { startTestSite, type TestSite } from '../site/index.ts'
import { TestService } from '../support/service.ts'

const secret = 'Bearer at-rest-secret-4711'
const state = {
  cookies: [],
  origins: [{ origin: 'https://a.example', localStorage: [{ name: 't', value: 'session-secret-4711' }] }],
}

let site: TestSite
let folder: string
before(async () => {
  site = await startTestSite()
})
after(() => site?.[Symbol.asyncDispose]())
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kscrape-sealed-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const settings = () => settingsSchema.parse({ dataDir: folder })
const place = () => ({ allowPrivate: [`${site.host}:${site.port}`], rate: 'unlimited' as const })

test('a session file cannot be read without the key, and an older unsealed file is sealed when it changes', async () => {
  const sessions = openSessions(folder)
  await sessions.save('shop', state)
  const file = join(folder, 'sessions', 'shop.json')
  assert.doesNotMatch(await readFile(file, 'utf8'), /session-secret|a\.example/)
  assert.deepEqual(await sessions.load('shop'), state)
  await writeFile(file, JSON.stringify(state))
  assert.deepEqual(await sessions.load('shop'), state)
  await sessions.change('shop', same => same)
  assert.doesNotMatch(await readFile(file, 'utf8'), /session-secret/)
  // A session file that was renamed cannot be opened.
  await writeFile(join(folder, 'sessions', 'other.json'), await readFile(file))
  await assert.rejects(sessions.load('other'), { code: 'secret.missing' })
})

test('after a rotation only the new seal key opens sealed values, and an interrupted rotation continues', async () => {
  const service = await TestService.open({ settings: place() }, folder)
  const headers = { Authorization: secret }
  const job = {
    urls: [`${site.url}/about`],
    headers,
    policy: { proxy: { urls: ['http://u:p4711@proxy.example:8080'] } },
  }
  const paused = await service.submit({ ...job, job_id: 'sealed' })
  await service.ask(`/jobs/${paused}/cancel`, { method: 'POST' })
  const cron = { schedule_id: 'weekly', name: 'w', cron: '@weekly', time_zone: 'UTC', paused: true }
  assert.equal((await service.ask('/schedules', { body: { ...cron, job } })).status, 201)
  const hook = { url: 'https://hook.example/', headers: { 'x-token': 'hook-secret-4711' } }
  const crawl = await service.ask<{ id: string }>('/v2/crawl', {
    body: { url: `${site.url}/about`, limit: 1, webhook: hook },
  })
  assert.equal(crawl.status, 200, crawl.text)
  await service.close()
  await openSessions(folder).save('shop', state)

  const key = join(folder, 'seal.key')
  const first = await readFile(key)
  // A rotation of the seal key that was interrupted right after the old key was saved.
  await writeFile(`${key}.old`, first)
  const done = await rotateSeal(settings())
  assert.deepEqual(done, { jobs: 2, schedules: 1, sessions: 1 })
  const second = await readFile(key)
  assert.notDeepEqual(second, first)
  await assert.rejects(stat(`${key}.old`))

  // A rotation that was interrupted midway: each value opens with one of the two keys, and the next rotation completes.
  await writeFile(`${key}.old`, second)
  await writeFile(key, Buffer.alloc(32, 7))
  assert.deepEqual(await openSessions(folder).load('shop'), state)
  await rotateSeal(settings())
  assert.deepEqual(await readFile(key), Buffer.alloc(32, 7))
  await using data = await ownDataDirectory(folder, 'test')
  const sealer = openSealer(folder)
  const kept = (await data.store.jobs.get('sealed'))!.spec
  const opened = openHeaders(sealer, 'sealed', kept)
  assert.equal(opened.headers.Authorization, secret)
  assert.deepEqual(opened.policy.proxy.urls, ['http://u:p4711@proxy.example:8080'])
  const { job: scheduled } = (await data.store.schedules.get('weekly'))!
  assert.equal((openHeaders(sealer, 'weekly', scheduled) as typeof job).headers.Authorization, secret)
  assert.deepEqual(await openSessions(folder).load('shop'), state)
})

test('during a rotation, processes of a cluster open values sealed with either secret', () => {
  const secrets = { one: 'o'.repeat(40), two: 't'.repeat(40) }
  const lay = (clusterSecret: string, otherClusterSecret?: string) =>
    layKeys(
      settingsSchema.parse({
        dataDir: folder,
        clusterSecret,
        ...(otherClusterSecret && { otherClusterSecret }),
      }),
    )
  lay(secrets.one)
  const sealed = openSealer(folder).seal('x', 'o')
  lay(secrets.two, secrets.one)
  assert.equal(openSealer(folder).open(sealed, 'o'), 'x')
  lay(secrets.two)
  assert.throws(() => openSealer(folder).open(sealed, 'o'), { code: 'secret.missing' })
})

test('a data directory that other users can read is made private; a data directory that also contains other files gives a warning', async () => {
  await chmod(folder, 0o755)
  await (await ownDataDirectory(folder, 'test'))[Symbol.asyncDispose]()
  assert.equal((await stat(folder)).mode & 0o777, 0o700)
  await mkdir(join(folder, 'my-photos'))
  await chmod(folder, 0o755)
  const warned = new Promise<Error>(resolve => process.once('warning', resolve))
  await (await ownDataDirectory(folder, 'test'))[Symbol.asyncDispose]()
  assert.match((await warned).message, /other users can read it: run chmod 700/)
  assert.equal((await stat(folder)).mode & 0o777, 0o755)
})
