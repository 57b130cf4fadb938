// Promise: a rendered page navigates to another site only if that site's robots.txt allows it, and sends it no secret of the job.
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, describe, test } from 'node:test'
import type { JobSpecInput } from '../../src/model/job.ts'
import { TestEngine } from '../support/engine.ts'
import { html, ListeningSite, redirectTo, type Served } from '../support/listening-site.ts'

const secrets = ['Bearer-4711', 'cookie-4712', 'key-4713', 'session-4715', 'password-4714']
const headers = { Authorization: 'Bearer-4711', Cookie: 'login=cookie-4712', 'X-Api-Key': 'key-4713' }

/** The ways in which a page at `/site/means` can navigate to another URL. */
const means: Record<string, (to: string, site: string) => Record<string, Served>> = {
  redirect: (to, site) => ({ [`/${site}/redirect`]: redirectTo(to) }),
  chain: (to, site) => ({
    [`/${site}/chain`]: redirectTo(`/${site}/chain-2`, 301),
    [`/${site}/chain-2`]: redirectTo(to, 307),
  }),
  script: (to, site) => ({ [`/${site}/script`]: html(`<script>location = '${to}'</script>`) }),
  late: (to, site) => ({
    [`/${site}/late`]: html(`<script>setTimeout(() => location.replace('${to}'), 20)</script>`),
  }),
  refresh: (to, site) => ({
    [`/${site}/refresh`]: html('', `<meta http-equiv="refresh" content="0; url=${to}">`),
  }),
  form: (to, site) => ({
    [`/${site}/form`]: html(
      `<form method="post" action="${to}"><input name="a" value="b"></form><script>document.forms[0].submit()</script>`,
    ),
  }),
}

/** A page that loads resources of another site. */
const parts = (to: string) =>
  html(
    `<img src="${to}/picture"><script src="${to}/script.js"></script><iframe src="${to}/frame"></iframe>
     <script>fetch('${to}/data', { mode: 'no-cors', credentials: 'include' }); fetch('/own')</script>`,
  )

/** A page that opens windows of another site, each with its own path, and does not navigate itself. */
const popups = (to: string) =>
  html(
    `<a target="_blank" href="${to}/popup/link">link</a><a target="_blank" rel="opener" href="${to}/popup/opener">link</a>
     <form target="_blank" method="post" action="${to}/popup/form"></form>
     <script>
       window.open('${to}/popup/open')
       window.open('${to}/popup/noopener', '_blank', 'noopener')
       const blank = window.open('about:blank')
       if (blank) blank.location = '${to}/popup/blank'
       for (const link of document.links) link.click()
       document.forms[0].submit()
     </script>`,
  )

/** A page that asks the browser to prerender documents. A slow image keeps the page loading while this happens. */
const speculation = (to: string) =>
  html(
    ['prerender', 'prefetch']
      .map(kind => {
        const urls = [`/ahead/${kind}`, `${to}/ahead/${kind}`]
        const rules = { [kind]: [{ source: 'list', urls, eagerness: 'immediate' }] }
        return `<script type="speculationrules">${JSON.stringify(rules)}</script>`
      })
      .join('') + '<img src="/late.png">',
  )

const robots = (text: string) => ({ '/robots.txt': `User-agent: *\n${text}\n` })

const drivers: Record<string, JobSpecInput> = {
  'our own driver': {},
  Playwright: { policy: { browser: { keepOnFailure: ['trace'] } } },
  Patchright: { browser: 'stealth' },
}

const names = Object.keys(means)

for (const [driver, asked] of Object.entries(drivers))
  describe(driver, () => {
    let home: ListeningSite
    let open: ListeningSite
    let closed: ListeningSite
    let here: TestEngine
    const stack = new AsyncDisposableStack()

    before(async () => {
      home = stack.use(await ListeningSite.open())
      open = stack.use(await ListeningSite.open(robots('Allow: /')))
      closed = stack.use(await ListeningSite.open(robots('Disallow: /')))
      const allowPrivate = [home, open, closed].map(({ place }) => place)
      here = stack.use(await TestEngine.open({ settings: { allowPrivate } }))
      Object.assign(home.pages, { '/parts': parts(open.url), '/own': 'own' })
      for (const [name, pages] of Object.entries(means)) {
        open.pages[`/x?${name}`] = html('open')
        Object.assign(home.pages, pages(`${open.url}/x?${name}`, 'open'))
        Object.assign(home.pages, pages(`${closed.url}/x?${name}`, 'closed'))
      }
      Object.assign(home.pages, {
        '/popups': popups(closed.url),
        '/speculation': speculation(closed.url),
        '/late.png': (response: ServerResponse) => void setTimeout(() => response.end(), 1_000),
      })
      const pages = ['/parts', '/popups', '/speculation']
      const paths = [...names.flatMap(name => [`/open/${name}`, `/closed/${name}`]), ...pages]
      const policy = { host: { rate: 'unlimited' as const, concurrency: 2 }, retries: { attempts: 0 } }
      await here.run({
        ...{ jobId: 'pages', urls: paths.map(path => home.url + path), render: 'always', headers },
        ...asked,
        policy: { ...policy, ...asked.policy },
        concurrency: 2,
      })
    })
    after(() => stack.disposeAsync())

    const endsOf = async (site: string) => {
      const tasks = await here.tasks('pages')
      const endOf = (name: string) => {
        const task = tasks.find(({ url }) => url === `${home.url}/${site}/${name}`)
        return task?.reason === 'internal.bug' ? task.message : (task?.reason ?? task?.state)
      }
      return Object.fromEntries(names.map(name => [name, endOf(name)]))
    }
    const all = (end: string) => Object.fromEntries(names.map(name => [name, end]))

    test('if a site disallows a landing page, only its robots.txt is requested', async () => {
      assert.deepEqual(await endsOf('closed'), all('robots.disallowed'))
      assert.deepEqual([...new Set(closed.paths)], ['/robots.txt'])
    })

    test('a page that opens windows is parsed, and no window loads a page', async () => {
      const tasks = await here.tasks('pages')
      assert.equal(tasks.find(({ url }) => url.endsWith('/popups'))?.reason, 'ok')
      for (const site of [open, closed])
        assert.deepEqual(
          site.paths.filter(path => path.startsWith('/popup')),
          [],
        )
    })

    test('a page that asks the browser to prerender documents is parsed, and none of these documents loads', async () => {
      const tasks = await here.tasks('pages')
      assert.equal(tasks.find(({ url }) => url.endsWith('/speculation'))?.reason, 'ok')
      assert.ok(home.paths.includes('/late.png'))
      for (const site of [home, closed])
        assert.deepEqual(
          site.paths.filter(path => path.startsWith('/ahead')),
          [],
        )
    })

    test('if a site allows a landing page, its robots.txt is requested first', async () => {
      assert.deepEqual(await endsOf('open'), all('ok'))
      for (const name of names) assert.ok(open.paths.includes(`/x?${name}`), name)
      const landing = open.paths.findIndex(path => path.startsWith('/x'))
      assert.ok(open.paths.indexOf('/robots.txt') < landing)
    })

    test('landing pages, subresources, frames and robots.txt of other sites receive no secret', () => {
      for (const site of [open, closed]) assert.deepEqual(site.holding(secrets), [])
      for (const path of ['/picture', '/script.js', '/frame', '/data'])
        assert.ok(open.paths.includes(path), `${path} was not requested`)
      const own = home.heard.find(({ path }) => path === '/own')
      assert.equal(own?.headers['x-api-key'], 'key-4713')
      for (const { headers: sent } of home.heard.filter(({ path }) => path === '/robots.txt'))
        assert.deepEqual([sent.authorization, sent.cookie, sent['x-api-key']], Array(3).fill(undefined))
    })
  })
