// Tests kscrape map: it lists the URLs of a site from sitemaps and links, without fetching them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { Workplace } from '../run-cli.ts'

const leave = (site: TestSite) => [
  '--rate',
  'unlimited',
  '--allow-private',
  `${site.host}:${site.port}`,
  '--quiet',
]

async function urlsOf(place: Workplace, site: TestSite, flags: string[] = []): Promise<string[]> {
  const { code, stdout, stderr } = await place.run(['map', `${site.url}/`, ...leave(site), ...flags])
  assert.equal(code, 0, stderr)
  return stdout.trimEnd().split('\n')
}

test('a map lists the URLs of sitemaps and of the first page, each once, without fetching them', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const urls = await urlsOf(place, site)
  assert.equal(new Set(urls).size, urls.length)
  assert.ok(urls.includes(`${site.url}/contact`), 'from the sitemap')
  assert.ok(urls.includes(`${site.url}/search`), 'from a link')
  assert.ok(urls.filter(url => url.includes('/products/')).length >= 40)
  const asked = new Set(site.requests.map(({ url }) => url))
  assert.ok(
    [...asked].every(path => path === '/' || path === '/robots.txt' || path.includes('sitemap')),
    [...asked].join(' '),
  )
})

test('a map can be limited and filtered, and can use only links or only sitemaps', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  assert.equal((await urlsOf(place, site, ['--max-pages', '5'])).length, 5)
  const blog = await urlsOf(place, site, ['--include', '**/blog/**', '--sitemap', 'only'])
  assert.ok(blog.length > 3 && blog.every(url => url.includes('/blog')))
  const linked = await urlsOf(place, site, ['--sitemap', 'skip'])
  assert.ok(!linked.includes(`${site.url}/blog/how-we-work-with-oak`))
  const deeper = await urlsOf(place, site, ['--sitemap', 'skip', '--depth', '2'])
  assert.ok(deeper.length > linked.length)
})

test('a URL that does not exist is not in the map', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const { code, stdout } = await place.run([
    'map',
    `${site.url}/status/404`,
    ...leave(site),
    '--sitemap',
    'skip',
  ])
  assert.deepEqual([code, stdout], [3, ''])
})
