// Tests that no hostile content of a website runs in the dashboard, loads anything, or imitates its interface.
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type ShownDashboard, showDashboard } from '../support/dashboard.ts'
import type { TestService } from '../support/service.ts'

/** Each payload would change the title of the window if it ran, or appear in the tracker's log if it loaded. */
const payloads = (tracker: string): string[] => [
  `<script>document.title='pwned'</script>`,
  `"><img src=x onerror="document.title='pwned'">`,
  `<svg onload="document.title='pwned'"></svg>`,
  `<iframe srcdoc="<script>top.document.title='pwned'</script>"></iframe>`,
  `<img src="${tracker}/from-text">`,
  `javascript:document.title='pwned'`,
  `{{constructor.constructor('document.title=1')()}}`,
]

let site: Server
let tracker: Server
let place: string
let trackerUrl: string
const tracked: string[] = []
/** The page changes with each request, so that monitors see a change. */
let asked = 0
let shown: ShownDashboard
let page: Page
const complaints: string[] = []

const listen = async (server: Server): Promise<string> => {
  // `unref`: if setup fails, these servers must not keep the process alive.
  await new Promise<void>(done => server.unref().listen(0, '127.0.0.1', done))
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

const text = (value: string): string => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** Payloads in every place where they could become markup: titles, headings, attributes, headers. */
function hostilePage(): string {
  const all = payloads(trackerUrl)
  return `<!doctype html><html><head><title>${text(all[1]!)}</title>
<meta http-equiv="refresh" content="0; url=${trackerUrl}/refreshed"><base href="${trackerUrl}/">
<link rel="stylesheet" href="${trackerUrl}/style.css"><style>@import url(${trackerUrl}/imported.css);
body { background: url(${trackerUrl}/background.png) } @font-face { font-family: f; src: url(${trackerUrl}/font) } h1 { font-family: f }</style>
<script>document.title='pwned'; parent.postMessage({say:'picked',css:'h1',text:'fake'},'*')</script></head>
<body onload="document.title='pwned'" background="${trackerUrl}/old.png">
<h1 id="here" onclick="document.title='pwned'" style="background:url(${trackerUrl}/inline.png)">${text(all[0]!)}</h1>
<a id="leave" href="${trackerUrl}/left" target="_top">leave</a> <a id="script" href="javascript:document.title='pwned'">run</a>
<form action="${trackerUrl}/sent"><input name=a autofocus onfocus="document.title='pwned'"><button id="send">send</button></form>
<img src="${trackerUrl}/image.png" srcset="${trackerUrl}/set.png 2x" onerror="document.title='pwned'">
<object data="${trackerUrl}/object"></object><embed src="${trackerUrl}/embed"><video src="${trackerUrl}/video" autoplay></video>
<iframe src="${trackerUrl}/frame"></iframe><svg><image href="${trackerUrl}/svg.png"/><use href="${trackerUrl}/use#a"/></svg>
<p id="count">${text(`<img src=x onerror="document.title='pwned'"> number ${++asked}`)}</p>
${all.map(payload => `<p>${text(payload)}</p>`).join('\n')}${all.join('\n')}</body></html>`
}

before(async () => {
  tracker = createServer((request, response) => {
    tracked.push(request.url ?? '')
    response.end()
  })
  trackerUrl = `http://${await listen(tracker)}`
  site = createServer((request, response) => {
    if (request.url?.startsWith('/robots.txt')) return void response.writeHead(404).end()
    const isBroken = request.url?.startsWith('/broken')
    response.writeHead(isBroken ? 500 : 200, {
      'content-type': 'text/html; charset=utf-8',
      'x-hostile': payloads(trackerUrl)[1],
      'set-cookie': `a=<script>document.title='pwned'</script>`,
    })
    response.end(hostilePage())
  })
  place = await listen(site)
  shown = await showDashboard({ settings: { allowPrivate: [place], rate: 'unlimited' } })
  const { service } = shown
  await service.submit({
    ...{
      job_id: 'hostile',
      extract: {
        fields: { title: 'title', heading: 'h1', link: '#script::attr(href)', all: { css: 'p', many: true } },
      },
    },
    urls: [
      `http://${place}/?q=${encodeURIComponent(payloads(trackerUrl)[0]!)}`,
      `http://${place}/broken/<img src=x onerror=alert(1)>`,
    ],
    labels: { '<b>label</b>': payloads(trackerUrl)[0]! },
    policy: { retries: { attempts: 0 } },
  })
  await service.submit({
    ...{ job_id: 'named', scraper_id: 'page', labels: { team: payloads(trackerUrl)[1]! } },
    items: [{ item_id: 'a.b-c', input: { url: `http://${place}/`, note: payloads(trackerUrl)[2] } }],
  })
  await Promise.all([service.ended('hostile'), service.ended('named')])
  await watchHostile(service)
  page = (await shown.signedIn({ context: { acceptDownloads: true } })).page
  page.on('console', message => message.type() === 'error' && complaints.push(message.text()))
  page.on('dialog', dialog => void dialog.dismiss().then(() => complaints.push('a dialog was opened')))
  page.on('pageerror', error => complaints.push(error.message))
})

after(async () => {
  await shown?.[Symbol.asyncDispose]()
  for (const server of [site, tracker]) {
    server.closeAllConnections()
    await new Promise(done => server.close(done))
  }
})

/** Creates a monitor and runs two checks of a page whose text, title and fields are hostile and change each time. */
async function watchHostile(service: TestService): Promise<void> {
  const [script, image] = payloads(trackerUrl) as [string, string]
  const job = { urls: [`http://${place}/?watched`], extract: { fields: { title: 'title', count: '#count' } } }
  for (const [monitor_id, body] of [
    ['fields', { name: script, job }],
    ['text', { name: image, job: { urls: job.urls } }],
  ] as const) {
    await service.ask('/monitors', { body: { monitor_id, cron: '0 3 * * *', ...body } })
    for (const _look of [1, 2]) {
      const { body } = await service.ask<{ job_id: string }>(`/monitors/${monitor_id}/run`, {
        method: 'POST',
      })
      await service.ended(body.job_id)
    }
  }
}

const go = (where: string): Promise<unknown> => page.goto(`${shown.service.url}/#/${where}`)

/** Asserts that nothing ran, nothing was loaded from another host, and nothing became an element of the dashboard. */
async function isUnharmed(where: string): Promise<void> {
  assert.equal(await page.title(), 'K-Scrape Nexus', where)
  assert.deepEqual(tracked, [], where)
  assert.deepEqual(complaints, [], where)
  const injected = await page
    .locator('main :is(script, object, embed, svg[onload], img[onerror], [onclick], iframe:not([sandbox]))')
    .count()
  assert.equal(injected, 0, where)
  const addresses = await page
    .locator('main a')
    .evaluateAll(links => links.map(link => (link as HTMLAnchorElement).protocol))
  for (const protocol of addresses) assert.match(protocol, /^https?:$/, where)
}

test('markup in titles, URLs, fields, labels, headers and messages is shown as text', async () => {
  for (const [where, ready] of [
    ['jobs', 'hostile'],
    ['jobs/hostile', 'Outcomes by reason'],
    ['jobs/hostile?tab=tasks', 'Attempts'],
    ['jobs/hostile?tab=records', `<script>document.title='pwned'</script>`],
    ['jobs/hostile?tab=hosts', 'Progress'],
    ['jobs/hostile?tab=conduct', 'Conduct receipt'],
    ['jobs/hostile/items/task-1', 'x-hostile'],
    ['jobs/hostile/items/task-2', 'Attempt 1'],
    ['jobs/named/items/a.b-c', 'x-hostile'],
    ['hosts', place],
    [`hosts/${place}`, 'Last errors'],
    ['monitors', '1 changed'],
    ['monitors/fields', '"> number '],
    ['monitors/text', '"> number '],
  ] as const) {
    await go(where)
    await page.getByText(ready).first().waitFor()
    await isUnharmed(where)
  }
})

test('the source of a page is shown as text, and its file is saved instead of opened', async () => {
  await go('jobs/hostile/items/task-1')
  await page.getByRole('tab', { name: 'HTML' }).click()
  await page.getByText('http-equiv').first().waitFor()
  await isUnharmed('the source')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'html' }).click(),
  ])
  assert.match(download.suggestedFilename(), /^[\w.-]+$/)
  await isUnharmed('the file')
})

test('a URL with markup in it is not found, and the error shows it as text', async () => {
  for (const [where, said] of [
    ['jobs/%3Cimg%20src=x%20onerror=alert(1)%3E', page.getByRole('alert')],
    ['%3Cscript%3Ealert(1)%3C/script%3E', page.getByRole('link', { name: 'All jobs' })],
    ['jobs?show=<b>&find=<img src=x>', page.getByText('No job matches')],
  ] as const) {
    await go(where)
    // When this text is visible, the browser has logged every missing resource.
    await said.first().waitFor()
  }
  complaints.length = 0
  await isUnharmed('the address')
})

test('a page in the picker frame runs no script and loads and sends no data, and a click only selects an element', async () => {
  await go('new')
  await page.getByLabel('Address').fill(`http://${place}/`)
  await page.getByRole('button', { name: 'Load page' }).click()
  const frame = page.frameLocator('iframe.frame')
  await frame.locator('#here').waitFor()
  assert.equal(
    await page.getByLabel('Selector').count(),
    0,
    'the dashboard accepted a forged message of the page',
  )
  for (const id of ['#here', '#leave', '#script', '#send']) await frame.locator(id).click()
  await page.getByLabel('Selector').nth(4).waitFor()
  const selectors = await page
    .getByLabel('Selector')
    .evaluateAll(inputs => inputs.map(input => (input as HTMLInputElement).value))
  // A click on a link picks both its text and its URL.
  assert.deepEqual(selectors, ['#here', '#leave', '#leave', '#script', '#send'])
  assert.equal(
    await frame
      .locator(':is(script:not([type=module]), meta[http-equiv], base, link, object, embed, iframe, video)')
      .count(),
    0,
  )
  assert.equal(await frame.locator('[onclick], [onerror], [onload], [src], [srcset], [href]').count(), 0)
  const inner = page.frames().find(each => each.url().endsWith('/picker'))!
  assert.equal(await inner.evaluate(() => location.pathname), '/picker')
  assert.equal(await inner.evaluate(() => self.origin), 'null')
  const reach = await inner.evaluate(() => {
    try {
      return String(parent.document.title)
    } catch (error) {
      return (error as Error).name
    }
  })
  assert.equal(reach, 'SecurityError')
  // The content security policy of the frame logs violations. The console must contain only these.
  for (const complaint of complaints.splice(0))
    assert.match(complaint, /The action has been blocked|Blocked autofocusing/)
  await isUnharmed('the frame')
})
