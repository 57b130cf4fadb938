// Tests that no part of a crawl reaches a private address that was not allowed: links, redirects, robots.txt, sitemaps and rows.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { startTestSite } from '../site/index.ts'
import { Workplace } from '../system/run-cli.ts'

test('links, redirects, sitemaps and their indexes never lead to a private address', async () => {
  await using victim = await startTestSite()
  await using site = await startTestSite()
  await using place = await Workplace.open()
  const index = `<sitemapindex><sitemap><loc>${victim.url}/sitemap-2.xml</loc></sitemap></sitemapindex>`
  const urls = `<urlset><url><loc>${victim.url}/from-sitemap</loc></url></urlset>`
  site.serve('/robots.txt', {
    headers: { 'content-type': 'text/plain' },
    body: `Sitemap: ${victim.url}/sitemap.xml\nSitemap: ${site.url}/index.xml\nSitemap: ${site.url}/urls.xml\n`,
  })
  site.serve('/index.xml', { headers: { 'content-type': 'application/xml' }, body: index })
  site.serve('/urls.xml', { headers: { 'content-type': 'application/xml' }, body: urls })
  site.serve('/start', `<a href="${victim.url}/link">a</a><a href="/hop">b</a>`)
  site.serve('/hop', { status: 302, headers: { location: `${victim.url}/redirected` }, body: '' })
  const own = `${site.host}:${site.port}`
  const scope = ['--allow-domain', `${victim.host}:${victim.port}`, '--depth', '1']
  const { stderr } = await place.run([
    'crawl',
    `${site.url}/start`,
    '--rate',
    'unlimited',
    '--allow-private',
    own,
    ...scope,
    '-o',
    'out.jsonl',
    '--job',
    'gate',
  ])
  assert.deepEqual(victim.requests, [], stderr)
  const { counts } = JSON.parse((await place.run(['jobs', 'show', 'gate', '--json'])).stdout)
  assert.ok(counts.by_reason['address.refused'] >= 2, JSON.stringify(counts.by_reason))
})

test('rows of a file with private addresses are rejected with their line', async () => {
  await using victim = await startTestSite()
  await using place = await Workplace.open()
  const spellings = [
    'http://0x7f000001/',
    'http://2130706433/',
    'http://[::1]/',
    'http://localhost/',
    `${victim.url}/`,
  ]
  await writeFile(place.file('urls.txt'), spellings.join('\n'))
  await place.run(['run', 'urls.txt', '--rate', 'unlimited', '-o', 'out.jsonl', '--job', 'rows'])
  assert.deepEqual(victim.requests, [])
  const { stdout } = await place.run(['jobs', 'show', 'rows', '--rejected'])
  assert.equal(stdout.trim().split('\n').length, spellings.length, stdout)
})
