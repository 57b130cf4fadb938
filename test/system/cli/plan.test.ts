// Tests that plans estimate a job with polite requests, and leave no job.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { JobPlan } from '../../../src/model/api/plan.ts'
import { mapKeys, snake } from '../../../src/model/letter-case.ts'
import { TestService } from '../../support/service.ts'
import { Workplace } from '../run-cli.ts'

const products = 60
const shell = '<div id="root"></div><script src="/app.js"></script>'.padEnd(2_000, ' ')
const text = `<title>product</title><p>${'A product with words. '.repeat(90)}`

let place = ''
const asked: string[] = []
const server = createServer(({ url = '/' }, response) => {
  asked.push(url)
  const send = (body: string, type = 'text/html') =>
    response.writeHead(200, { 'content-type': type }).end(body)
  if (url === '/robots.txt')
    return send(
      `User-agent: *\nCrawl-delay: 0.05\nDisallow: /product/9\nSitemap: http://${place}/map.xml`,
      'text/plain',
    )
  if (url === '/map.xml') return send(sitemap(), 'application/xml')
  if (url === '/') return send('<title>shop</title><a href="/about">about</a>')
  if (/^\/product\/\d*[02468]$/.test(url)) return send(text)
  if (url.startsWith('/product/')) return send(shell)
  return url === '/about' ? send(text) : void response.writeHead(404).end()
})

function sitemap(): string {
  const urls = Array.from({ length: products }, (_, index) => `http://${place}/product/${index}`)
  return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.map(url => `<url><loc>${url}</loc></url>`).join('')}</urlset>`
}

before(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  place = `127.0.0.1:${(server.address() as AddressInfo).port}`
})
after(async () => {
  server.closeAllConnections()
  await new Promise(resolve => server.close(resolve))
})

test('a plan for a crawl uses robots.txt, the sitemap and a sample, and leaves no job', async () => {
  await using here = await Workplace.open()
  asked.length = 0
  const flags = ['--allow-private', place, '--rate', 'unlimited', '--render', 'auto', '--json']
  const env = { SCRAPER_PRICE_PER_GB: '1000', SCRAPER_PRICE_PER_BROWSER_HOUR: '36' }

  const { stdout, stderr, code } = await here.run(['plan', `http://${place}/`, ...flags], { env })

  assert.equal(code, 0, stderr)
  const plan = JSON.parse(stdout)
  // The pages are 60 products, the start page and the pages that it links to. robots.txt disallows /product/9.
  assert.deepEqual([plan.pages.count, plan.pages.disallowed, plan.pages.hosts], [61, 1, 1])
  assert.match(plan.pages.basis, /1 sitemap name/)
  assert.deepEqual([plan.sample.pages, plan.sample.ok], [20, 20])
  assert.ok(plan.sample.need_browser > 0 && plan.sample.need_browser < 20)
  assert.match(plan.sample.why_browser, /#root is empty|root/)
  assert.deepEqual([plan.hosts[0].rate, plan.hosts[0].crawl_delay_ms], [20, 50])
  assert.equal(plan.estimate.seconds, 3, '61 pages, 50 ms apart')
  assert.ok(plan.estimate.bytes > 61 * 1_500)
  assert.ok(plan.estimate.browser_pages > 0 && plan.estimate.money > 0)
  assert.ok(!asked.includes('/product/9'))
  assert.ok(asked.length <= 23, `${asked.length} requests`)
  assert.equal((await here.run(['jobs', 'list', '--json'])).stdout, '', 'no job is left')
})

test('a plan for a CSV list uses the rows of the list and sample pages', async () => {
  await using here = await Workplace.open()
  const rows = Array.from({ length: 40 }, (_, index) => `http://${place}/product/${index * 2},${index}`)
  await writeFile(here.file('rows.csv'), `link,n\n${rows.join('\n')}\nnot-a-url,1\n`)

  const { stdout, code, stderr } = await here.run([
    ...['plan', 'rows.csv', '--url-column', 'link'],
    ...['--allow-private', place, '--rate', '50/s'],
  ])

  assert.equal(code, 0, stderr)
  assert.match(stdout, /pages: +about 40 on 1 host \(they are listed, 1 of 41 rows are invalid\)/)
  assert.match(stdout, /sample: +20 of 20 pages were fetched/)
  assert.match(stdout, /browser: +needed for 0 of these pages/)
  assert.match(stdout, /takes: +about 2s: 40 pages of \S+, whose robots.txt asks for a Crawl-delay of 50ms/)
  assert.match(stdout, /fetched: 20 pages besides robots\.txt, for this estimate; they are not stored/)
})

test('a service plans a job within the rights of its key, and leaves no job', async () => {
  await using service = await TestService.open({ settings: { allowPrivate: [place], rate: 'unlimited' } })

  const answer = await service.ask<Record<string, never>>('/plan', {
    body: { seed_urls: [`http://${place}/`], max_pages: 30 },
  })

  assert.equal(answer.status, 200, answer.text)
  const plan = mapKeys(answer.body, snake) as unknown as { [Name in keyof JobPlan]: JobPlan[Name] }
  assert.equal(plan.pages.count, 30)
  assert.ok(plan.notes.some(note => note.includes("61 pages are known; the job's limit is 30")))
  const { body } = await service.ask<{ jobs: unknown[] }>('/jobs')
  assert.deepEqual(body.jobs, [])
  const refused = await service.ask('/plan', { body: { seed_urls: ['http://10.0.0.1/'] } })
  assert.equal(refused.status, 403, refused.text)
})
