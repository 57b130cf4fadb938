// Tests rendering, artifacts and isolation of pages in a real browser.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  type BrowserWithSite,
  browserWithSite,
  type DemoSite,
  startDemoSite,
  type Visit,
} from '../../../test/support/browser.ts'
import { asFailure } from '../../model/failures.ts'
import type { Artifact } from '../../model/policy/rendering.ts'

const html = (body: string) => ({ headers: { 'content-type': 'text/html; charset=utf-8' }, body })
const text = (visit: { page: { body: Buffer } }) => visit.page.body.toString()
const widthOf = (png: Buffer) => png.readUInt32BE(16)
/** The Authorization and Accept-Language headers of each request for `/headers`. */
const seen: Array<[string, string]> = []

const routes = [
  {
    path: '/parts',
    answer: () => html('<title>Parts</title><img src="/own.png?v=1"><link rel=stylesheet href="/own.css">'),
  },
  {
    path: '/store',
    answer: () => html(`<script>document.cookie = 'seen=1'; localStorage.setItem('kept', 'yes')</script>`),
  },
  {
    path: '/stored',
    answer: () =>
      html(
        `<p id=told></p><script>told.textContent = document.cookie + '|' + localStorage.getItem('kept')</script>`,
      ),
  },
  {
    path: '/late',
    answer: () =>
      html(`<script>setTimeout(() => document.body.innerHTML = '<p id=late>Here</p>', 300)</script>`),
  },
  {
    path: '/in-sight',
    answer: () =>
      html(`<style>@keyframes move { from { opacity: 0 } } #near { animation: move 50ms }</style>
        <body style="margin:0"><div id=near style="height:700px"></div><div id=far style="margin-top:40px">Far</div><script>
        const moved = new Promise(resolve => near.addEventListener('animationend', () => resolve('moved')))
        const seen = new Promise(resolve => {
          const observer = new IntersectionObserver(all => resolve(all.filter(one => one.isIntersecting).map(one => one.target.id)))
          observer.observe(near)
          observer.observe(far)
        })
        Promise.all([seen, moved]).then(told => requestAnimationFrame(() => {
          document.body.insertAdjacentHTML('beforeend', '<p id=all>' + told.join(' ') + ' ' + innerHeight)
        }))
      </script>`),
  },
  {
    path: '/longer',
    answer: () =>
      html(`<body style="margin:0"><div id=list></div><script>
        let count = 0
        const more = () => { for (let n = 0; n < 10; n++) list.insertAdjacentHTML('beforeend', '<p style="height:200px">' + ++count) }
        more(); addEventListener('scroll', () => { if (count < 40 && scrollY + innerHeight >= document.body.scrollHeight - 50) more() })
      </script>`),
  },
  {
    path: '/headers',
    answer: ({ headers, url }: Visit) => {
      const authorization = headers.authorization ?? 'none'
      seen.push([authorization, headers['accept-language'] ?? 'none'])
      return html(`${authorization}<script src="${url.searchParams.get('and') ?? 'data:,'}"></script>`)
    },
  },
  {
    path: '/leads-on-below',
    answer: () =>
      html(`<div style="height:9000px"></div><script>
        requestAnimationFrame = () => {}
        addEventListener('scroll', () => location.replace('/late'))
      </script>`),
  },
  { path: '/leads-on', answer: () => html(`<script>location.replace('/late')</script>`) },
  {
    path: '/gives-file',
    answer: () => html(`<p id=page>Yours</p><script>location = '/hostile/attachment?bytes=500'</script>`),
  },
  {
    path: '/plain.json',
    answer: () => ({ headers: { 'content-type': 'application/json' }, body: '{"a":"é"}' }),
  },
]

describe('rendering', () => {
  let browser: BrowserWithSite
  let other: DemoSite
  before(async () => {
    other = await startDemoSite({ routes })
    browser = await browserWithSite({}, { routes }, [`${other.host}:${other.port}`])
  })
  after(async () => {
    await browser[Symbol.asyncDispose]()
    await other.close()
  })

  test('a page built by scripts is returned as a reader sees it', async () => {
    const visit = await browser.open('/spa/item/3')
    assert.match(text(visit), /<h1>.+<\/h1><p class="price">/)
    assert.equal(visit.page.status, 200)
    assert.deepEqual(visit.page.headers.at(-1), ['content-type', 'text/html; charset=utf-8'])
    assert.equal(visit.page.rendered?.why, 'test')
    await visit.release()
  })

  test('redirects are reported hop by hop, and a missing page has its status', async () => {
    const chain = await browser.open('/redirect/chain/2')
    assert.equal(chain.page.hops.length, 2)
    assert.equal(chain.page.hops[0]?.from, `${browser.site.url}/redirect/chain/2`)
    await chain.release()
    const missing = await browser.open('/no/such/page')
    assert.equal(missing.page.status, 404)
    await missing.release()
  })

  test('a page that navigates by script is parsed at its target', async () => {
    const visit = await browser.open('/leads-on', { rendering: { waitFor: '#late' } })
    assert.equal(visit.page.finalUrl, `${browser.site.url}/late`)
    await visit.release()
  })

  test('a page is returned with its screenshots, its PDF and the value of its expression', async () => {
    const options = { screenshot: true, fullPage: true, pdf: true, js: '({ title: document.title })' }
    const visit = await browser.open('/spa/', { rendering: options })
    const { artifacts, value } = visit.page.rendered!
    assert.deepEqual(
      artifacts.map(({ name, bytes }) => [name, bytes.subarray(0, 4).toString('latin1')]),
      [
        ['screenshot', '\x89PNG'],
        ['pdf', '%PDF'],
      ],
    )
    assert.equal(widthOf(artifacts[0]!.bytes), 1_280)
    assert.deepEqual(value, { title: 'The shop, by script' })
    await visit.release()
  })

  test('an expression that throws fails the task, with the error', async () => {
    const failure = await browser.open('/', { rendering: { js: 'nothing.here' } }).catch(asFailure)
    assert.match(String(failure), /nothing is not defined/)
  })

  test('frames, animations and visibility of a page are those of a full-size window', async () => {
    const visit = await browser.open('/in-sight', { rendering: { waitFor: '#all' } })
    assert.match(text(visit), /<p id="all">near moved 720</)
    await visit.release()
  })

  test('the browser waits for late content; the wait for a selector that never matches ends', async () => {
    const visit = await browser.open('/late', { rendering: { waitFor: '#late' } })
    assert.match(text(visit), /Here/)
    await visit.release()
    // Long enough for a busy machine to load the page. If the load itself hit this timeout, the error would not name the selector.
    const policy = { navigationMs: 3_000 }
    const failure = await browser.open('/late', { policy, rendering: { waitFor: '#never' } }).catch(asFailure)
    assert.equal((failure as { code?: string }).code, 'fetch.timeout')
    assert.match(String(failure), /#never/)
    const wrong = await browser.open('/late', { rendering: { waitFor: 'p[' } }).catch(asFailure)
    assert.match(String(wrong), /"p\[" is not a CSS selector/)
  })

  test('a growing list is scrolled to its end', async () => {
    const visit = await browser.open('/longer', { rendering: { scroll: true, js: 'list.children.length' } })
    assert.equal(visit.page.rendered?.value, 40)
    await visit.release()
  })

  test('a page that navigates when it is scrolled is parsed after the navigation', async () => {
    const visit = await browser.open('/leads-on-below', { rendering: { scroll: true, settleMs: 500 } })
    assert.match(visit.page.finalUrl, /\/late$/)
    await visit.release()
  })

  test('a scraper can wait for content of an open page, scroll it and parse it again', async () => {
    const visit = await browser.open('/longer')
    assert.equal(await visit.live.waitFor('p:nth-child(11)', 0), false)
    assert.ok((await visit.live.scroll({ times: 50, until: 'p:nth-child(30)', timeoutMs: 5_000 })) > 0)
    assert.match(await visit.live.html(), />30</)
    await visit.release()
    await assert.rejects(visit.live.html(), /The task of this page has already ended/)
  })

  test('blocked resource types are not requested', async () => {
    const asked = () =>
      browser.site.requests.filter(({ url }) => url.startsWith('/own.')).map(({ url }) => url)
    const visit = await browser.open('/parts', { rendering: { block: ['images', 'fonts', 'media', 'ads'] } })
    await visit.release()
    assert.deepEqual(asked(), ['/own.css'])
  })

  test('headers of the job reach only the page’s own site', async () => {
    const headers = { Authorization: 'Bearer secret', 'Accept-Language': 'fr' }
    const path = `/headers?and=${encodeURIComponent(`${other.url}/headers`)}`
    const visit = await browser.open(path, { headers, rendering: { waitFor: 'networkidle' } })
    await visit.release()
    assert.deepEqual(seen, [
      ['Bearer secret', 'fr'],
      ['none', 'fr'],
    ])
    const told = new Map(visit.page.requestHeaders?.map(([name, value]) => [name.toLowerCase(), value]))
    assert.deepEqual([told.get('authorization'), told.get('accept-language')], ['REDACTED', 'fr'])
    assert.match(told.get('user-agent') ?? '', /Chrome/)
    const next = await browser.open('/headers')
    assert.match(text(next), /none/)
    await next.release()
  })

  test('if a URL returns a file instead of a page, the file is the body, and is stored as an artifact', async () => {
    const visit = await browser.open('/hostile/attachment?bytes=5000')
    assert.equal(visit.page.body.length, 5_000)
    assert.deepEqual(
      visit.page.rendered?.artifacts.map(({ name, fileName }) => [name, fileName]),
      [['download', 'saved.bin']],
    )
    await visit.release()
    const tooLarge = await browser
      .open('/hostile/attachment?bytes=5000', { maxBytes: 1_000, session: 'x' })
      .catch(asFailure)
    assert.equal((tooLarge as { code?: string }).code, 'download.too-large')
  })

  test('if a page starts a download, the page itself is still returned', async () => {
    const visit = await browser.open('/gives-file', { rendering: { waitFor: 'networkidle' } })
    assert.match(text(visit), /Yours/)
    assert.match(visit.page.finalUrl, /\/gives-file$/)
    assert.deepEqual(visit.page.headers.at(-1), ['content-type', 'text/html; charset=utf-8'])
    assert.deepEqual(
      visit.page.rendered?.artifacts.map(({ fileName, type, bytes }) => [fileName, type, bytes.length]),
      [['saved.bin', 'application/octet-stream', 500]],
    )
    await visit.release()
  })

  test('a file that is too large is not stored, and the reason is recorded', async () => {
    const options = { rendering: { waitFor: 'networkidle' as const }, session: 'small', maxBytes: 400 }
    const visit = await browser.open('/gives-file', options)
    assert.match(text(visit), /Yours/)
    const [note, ...others] = visit.page.rendered!.artifacts
    assert.deepEqual([note?.fileName, others], ['not-kept.txt', []])
    assert.match(String(note?.bytes), /bytes=500 was stopped: it is larger than 400 bytes; raise max_bytes/)
    await visit.release()
  })

  test('content that is not markup keeps its type', async () => {
    const visit = await browser.open('/plain.json')
    assert.deepEqual(JSON.parse(text(visit)), { a: 'é' })
    await visit.release()
  })

  test('cookies and storage last within a session, and no other job or session sees them', async () => {
    const tell = async (options: object) => {
      const visit = await browser.open('/stored', { rendering: { js: 'told.textContent' }, ...options })
      await visit.release()
      return visit.page.rendered?.value
    }
    const first = await browser.open('/store', { session: 'keeps' })
    const state = await first.state()
    await first.release()
    assert.equal(await tell({ session: 'keeps' }), 'seen=1|yes')
    assert.equal(await tell({ session: 'other' }), '|null')
    assert.equal(await tell({ session: 'keeps', jobId: 'other' }), '|null')
    // Restores the state under another session name, as happens from one run to the next.
    assert.equal(await tell({ session: 'restored', state }), 'seen=1|yes')
  })

  test('with isolation by task no state passes to the next task', async () => {
    const policy = { isolation: 'task' }
    await (await browser.open('/store', { session: 'alone', policy })).release()
    const visit = await browser.open('/stored', {
      session: 'alone',
      policy,
      rendering: { js: 'told.textContent' },
    })
    assert.equal(visit.page.rendered?.value, '|null')
    await visit.release()
  })

  test('a page sees the properties of the identity, and gets no browser permissions', async () => {
    const js =
      '[navigator.userAgent, navigator.languages, Intl.DateTimeFormat().resolvedOptions().timeZone, innerWidth, Notification.permission]'
    const visit = await browser.open('/', { rendering: { js } })
    const [userAgent, ...told] = visit.page.rendered!.value as unknown[]
    assert.match(String(userAgent), /^Mozilla.* Chrome\/\d/)
    assert.deepEqual(told, [['en-GB', 'en'], 'Europe/Berlin', 1_280, 'denied'])
    await visit.release()
  })

  test('service workers are blocked', async () => {
    const visit = await browser.open('/hostile/service-worker', { rendering: { js: 'document.title' } })
    assert.match(String(visit.page.rendered?.value), /Refused|None/)
    await visit.release()
  })

  test('if a page fails, kscrape stores the evidence that the policy names', async () => {
    const kept: Artifact[] = []
    // Long enough for a busy machine to receive the first half of the page.
    const policy = { navigationMs: 3_000, keepOnFailure: ['screenshot', 'html', 'console', 'network'] }
    const onFailure = (artifacts: Artifact[]) => void kept.push(...artifacts)
    await assert.rejects(browser.open('/slow/never-ends', { policy, onFailure }))
    assert.deepEqual(kept.map(({ name }) => name).sort(), ['html', 'network', 'screenshot'])
  })

  test('if the egress gate refuses a request, the task fails with the reason of the gate', async () => {
    const failure = await browser.open('http://127.0.0.1:1/').catch(asFailure)
    assert.equal((failure as { code?: string }).code, 'address.refused')
  })

  test('a task that uses a page for too long is ended, and its seat becomes free', async () => {
    const visit = await browser.open('/', { policy: { taskMs: 4_000 } })
    await assert.rejects(visit.live.waitFor('#never', 60_000), /took longer than 4000 ms/)
    await visit.release()
    assert.equal(browser.browsers.stats().in_use, 0)
  })

  test('the pool is ready after it has loaded a page', async () => {
    assert.equal(await browser.browsers.isReady(), true)
  })
})

describe('readiness', () => {
  test('a pool that has not loaded a page yet loads a test page to become ready', async () => {
    await using browser = await browserWithSite()
    assert.equal(await browser.browsers.isReady(), true)
    assert.equal(browser.browsers.stats().available, 4)
    assert.equal(browser.site.requests.length, 0)
  })

  test('the pool is not ready if no browser starts, and the message says why', async () => {
    await using browser = await browserWithSite({ places: { path: '/bin/false' } })
    assert.equal(await browser.browsers.isReady(), false)
    const failure = await browser.open('/').catch(asFailure)
    assert.match(String(failure), /The browser \/bin\/false did not start/)
    assert.equal(browser.browsers.stats().available, 4)
    assert.deepEqual(await browser.leftBehind(), { folders: [], processes: [] })
  })
})
