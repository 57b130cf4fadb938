// Keys of several workspaces and scopes try to use, list, overwrite and delete a session that another workspace saved.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { found } from '../support/eventually.ts'
import { html, ListeningSite } from '../support/listening-site.ts'
import { TestService } from '../support/service.ts'

const cookie = 'login=of-alpha-4711'
const fast = { policy: { host: { rate: 'unlimited' }, retries: { attempts: 0 } } }

let site: ListeningSite
let service: TestService
let alpha: string
before(async () => {
  site = await ListeningSite.open({
    '/login': response => {
      response.writeHead(200, {
        'content-type': 'text/html',
        'set-cookie': `${cookie}; Path=/; Max-Age=9999`,
      })
      response.end(html('welcome'))
    },
    '/account': html('account'),
  })
  service = await TestService.open({ settings: { allowPrivate: [site.place], rate: 'unlimited' } })
  alpha = await service.key({ workspace: 'alpha', scopes: ['read', 'submit', 'credentials'] })
  assert.deepEqual(await cookiesSent(alpha, '/login', 'shop'), [undefined])
  // The lane stores the session when it releases the job, shortly after the end of the job.
  await found('the stored session', async () => (await storedNames()).find(name => name.startsWith('shop')))
})
after(async () => {
  await service?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
})

/** Runs a job with a session, and returns the cookies that the site received. */
async function cookiesSent(key: string, path: string, session: string): Promise<Array<string | undefined>> {
  const from = site.heard.length
  const jobId = await service.submit({ urls: [`${site.url}${path}`], session, ...fast }, { key })
  await service.ended(jobId, { key })
  const requests = site.heard.slice(from).filter(heard => heard.path === path)
  return requests.map(({ headers }) => headers.cookie)
}

/** The names of the stored sessions, as the operator sees them. */
async function storedNames(): Promise<string[]> {
  const { body } = await service.ask<{ sessions: Array<{ name: string }> }>('/sessions')
  return body.sessions.map(({ name }) => name)
}

/** The names of the files of stored sessions. A cluster has no such files. */
const fileNames = async (): Promise<string[]> =>
  (await readdir(join(service.folder, 'sessions')).catch(() => []))
    .filter(name => name.endsWith('.json'))
    .map(name => name.replace(/\.json$/, ''))

/** Names that a caller could compute, because the code of kscrape is public. */
const hashOf = (workspace: string) =>
  createHash('sha256')
    .update(JSON.stringify([workspace, 'shop']))
    .digest('hex')
    .slice(0, 32)

test('another workspace cannot use a saved session, whatever session name it sends', async () => {
  assert.deepEqual(await cookiesSent(alpha, '/account', 'shop'), [cookie])
  const stored = [...(await storedNames()), ...(await fileNames())]
  const names = [...new Set([...stored, 'shop', `shop-${hashOf('alpha')}`, 'shop~alpha'])]
  for (const workspace of ['default', 'beta']) {
    const key = await service.key({ workspace, scopes: ['read', 'submit', 'credentials'] })
    for (const session of names) {
      const body = { urls: [`${site.url}/account`], session, ...fast }
      const isName = /^[\w.-]+$/.test(session)
      if (!isName) assert.equal((await service.ask('/jobs', { key, body })).status, 422, session)
      else
        assert.deepEqual(await cookiesSent(key, '/account', session), [undefined], `${workspace} ${session}`)
    }
  }
})

test('only an admin key of the operator’s workspace lists, stores and deletes sessions', async () => {
  const data = { cookies: [], origins: [] }
  for (const wanted of [
    { workspace: 'alpha', scopes: ['admin'] },
    { workspace: 'default', scopes: ['read', 'submit', 'credentials'] },
  ]) {
    const key = await service.key(wanted)
    const answers = [
      await service.ask('/sessions', { key }),
      await service.ask('/sessions/shop', { key, method: 'PUT', body: { data } }),
      await service.ask('/sessions/shop', { key, method: 'DELETE' }),
    ]
    assert.deepEqual(
      answers.map(({ status }) => status),
      [403, 403, 403],
    )
  }
  assert.deepEqual(await cookiesSent(alpha, '/account', 'shop'), [cookie])
})

test('a key without the scope credentials cannot use a session in any API', async () => {
  const key = await service.key({ workspace: 'alpha', scopes: ['read', 'submit'] })
  const url = `${site.url}/account`
  const bodies: Array<[path: string, body: object]> = [
    ['/jobs', { urls: [url], session: 'shop' }],
    ['/plan', { urls: [url], session: 'shop' }],
    ['/schedules', { name: 'x', cron: '@daily', time_zone: 'UTC', job: { urls: [url], session: 'shop' } }],
    ['/monitors', { cron: '@daily', job: { urls: [url], session: 'shop' } }],
    ['/v2/scrape', { url, profile: { name: 'shop' } }],
    ['/v2/batch/scrape', { urls: [url], profile: { name: 'shop' } }],
    ['/v2/crawl', { url, scrapeOptions: { profile: { name: 'shop' } } }],
  ]
  for (const [path, body] of bodies) {
    const { status, text } = await service.ask(path, { key, body })
    assert.deepEqual([status, /credentials/.test(text)], [403, true], `${path} ${text}`)
  }
})

test('the operator sees which workspace a session belongs to, and can delete it', async () => {
  const name = (await storedNames()).find(one => one.startsWith('shop~'))
  assert.ok(name)
  const path = `/sessions/${encodeURIComponent(name)}`
  assert.equal((await service.ask(path, { method: 'DELETE' })).status, 204)
  assert.deepEqual(await cookiesSent(alpha, '/account', 'shop'), [undefined])
})
