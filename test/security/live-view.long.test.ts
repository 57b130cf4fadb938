// Tests the live view of running browsers: keys without the scope, and keys of another workspace, try to see and to control them.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { WebSocket } from 'ws'
import { BrowserService } from '../support/browser-clients.ts'
import { found } from '../support/eventually.ts'

interface Seat {
  browser_id: string
  url: string
}

let browsers: BrowserService
const sockets: WebSocket[] = []
const keys = { alpha: '', beta: '' }
before(async () => {
  const page = (name: string) =>
    `<title>${name}</title><input id="typed" autofocus style="position:absolute;left:0;top:0;width:200px;height:40px"><script>document.cookie = 'login=of-${name}'</script>`
  browsers = await BrowserService.open({ '/alpha': page('alpha'), '/beta': page('beta') })
  for (const workspace of ['alpha', 'beta'] as const) {
    keys[workspace] = await browsers.service.key({
      workspace,
      scopes: ['read', 'submit', 'live_view', 'credentials'],
    })
    await openPage(workspace)
  }
})
after(async () => {
  for (const socket of sockets) socket.terminate()
  await browsers?.[Symbol.asyncDispose]()
})

/** A client of the workspace opens its page, and then stays connected. */
async function openPage(workspace: 'alpha' | 'beta'): Promise<void> {
  const socket = new WebSocket(browsers.endpoint('/cdp', { token: keys[workspace] }))
  sockets.push(socket)
  await once(socket, 'open')
  const params = { url: `${browsers.site.url}/${workspace}` }
  socket.send(JSON.stringify({ id: 1, method: 'Target.createTarget', params }))
}

const seats = async (key: string): Promise<Seat[]> =>
  (await browsers.service.ask<{ browsers: Seat[] }>('/browsers', { key })).body.browsers

const seatOf = (workspace: 'alpha' | 'beta') =>
  found('the page is listed', async () =>
    (await seats(keys[workspace])).find(({ url }) => url.endsWith(`/${workspace}`)),
  )

/** Asks the browser itself, because the list of browsers may be a few seconds old. */
async function isPaused(): Promise<unknown> {
  const { browser_id: id } = await seatOf('alpha')
  return (await browsers.service.ask(`/browsers/${id}/view`, { key: keys.alpha })).body.paused
}

/** All routes of the live view, for this browser. */
const routes = (id: string): Array<[method: string, path: string, body?: object]> => [
  ['GET', `/browsers/${id}/view`],
  ['POST', `/browsers/${id}/pause`, {}],
  ['POST', `/browsers/${id}/input`, { type: 'text', text: 'stolen' }],
  ['POST', `/browsers/${id}/session`, { name: 'stolen' }],
  ['POST', `/browsers/${id}/resume`, {}],
  ['DELETE', `/browsers/${id}`],
]

async function attack(id: string, key: string | null, expected: (method: string) => number): Promise<void> {
  for (const [method, path, body] of routes(id)) {
    const { status, text } = await browsers.service.ask(path, { method, key, body })
    assert.equal(status, expected(method), `${method} ${path} ${text}`)
    assert.doesNotMatch(text, /"image"|of-alpha/)
  }
}

test('a workspace sees only its own browsers, and no route finds browsers of another workspace', async () => {
  const alpha = await seatOf('alpha')
  const beta = await seatOf('beta')
  assert.deepEqual(
    (await seats(keys.beta)).map(({ browser_id }) => browser_id),
    [beta.browser_id],
  )
  await attack(alpha.browser_id, keys.beta, () => 404)
  assert.equal(await isPaused(), false)
})

test('a page that one workspace controls takes no input from another workspace', async () => {
  const { browser_id: id } = await seatOf('alpha')
  const ask = (path: string, body: object, key = keys.alpha) =>
    browsers.service.ask(`/browsers/${id}${path}`, { body, key })
  assert.equal((await ask('/pause', {})).status, 200)
  assert.equal((await ask('/input', { type: 'text', text: 'stolen' }, keys.beta)).status, 404)
  assert.equal((await ask('/resume', {}, keys.beta)).status, 404)
  assert.equal(await isPaused(), true)
  assert.equal((await ask('/resume', {})).status, 200)
})

test('without the scope live_view, or without submit, a key cannot see or control a browser of its workspace', async () => {
  const { browser_id: id } = await seatOf('alpha')
  const key = (...scopes: string[]) => browsers.service.key({ workspace: 'alpha', scopes })
  await attack(id, await key('read', 'submit'), () => 403)
  const watcher = await key('read', 'live_view')
  for (const [method, path, body] of routes(id).slice(1))
    assert.equal((await browsers.service.ask(path, { method, key: watcher, body })).status, 403, path)
  await attack(id, null, () => 401)
  assert.equal(await isPaused(), false)
})

test('without the scope credentials, a key can neither save the login of a browser nor replace a saved login', async () => {
  const { browser_id: id } = await seatOf('alpha')
  const watcher = await browsers.service.key({
    workspace: 'alpha',
    scopes: ['read', 'submit', 'live_view'],
  })
  for (const name of ['mine', 'shop']) {
    const { status, text } = await browsers.service.ask(`/browsers/${id}/session`, {
      body: { name },
      key: watcher,
    })
    assert.deepEqual([status, /scope \\"credentials\\"/.test(text)], [403, true], text)
  }
})

test('a session that another workspace saved cannot be used, even by its name', async () => {
  const { browser_id: id } = await seatOf('alpha')
  const saved = await browsers.service.ask(`/browsers/${id}/session`, {
    body: { name: 'shop' },
    key: keys.alpha,
  })
  assert.equal(saved.status, 200)
  const beta = await browsers.service.key({ workspace: 'beta', scopes: ['read', 'submit', 'credentials'] })
  const { text } = await browsers.service.ask('/sessions', { key: beta })
  assert.doesNotMatch(text, /shop/)
  const before = browsers.site.heard.length
  const job = { urls: [`${browsers.site.url}/beta`], session: 'shop' }
  await browsers.service.ended(await browsers.service.submit(job, { key: beta }), { key: beta })
  const asked = browsers.site.heard.slice(before).filter(({ path }) => path === '/beta')
  assert.ok(asked.length > 0)
  assert.ok(asked.every(({ headers }) => !headers.cookie?.includes('of-alpha')))
})
