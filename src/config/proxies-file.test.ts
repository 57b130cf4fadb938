// Tests the proxies file: its lines, its form as YAML, and errors that show no password.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryFile } from '../../test/support/temporary-file.ts'
import { Failure } from '../model/failures.ts'
import { readProxiesFile } from './proxies-file.ts'

test('the proxies file has one proxy per line, with comments and empty lines between', async () => {
  await using file = await temporaryFile(
    'proxies.txt',
    '# ours\nhttp://u:p%23x@a.example:1\n\nsocks5://b.example # spare\n',
  )
  assert.deepEqual(
    readProxiesFile(file.path).proxies.map(({ url }) => url),
    ['http://u:p%23x@a.example:1', 'socks5://b.example'],
  )
})

test('a proxies file in YAML can contain countries of proxies, and providers with names', async () => {
  const text = `
proxies:
  - http://a.example:1
  - { url: "socks5://b.example:2", country: de }
providers:
  brightdata: { customer: hl_1, zones: { web-unlocker: { zone: z1, password: 12345 } } }
  other: { url: "http://g.example:3", username: "u-{session}", password: pw }
`
  await using file = await temporaryFile('proxies.yaml', text)
  const { proxies, providers } = readProxiesFile(file.path)
  assert.deepEqual(proxies, [{ url: 'http://a.example:1' }, { url: 'socks5://b.example:2', country: 'de' }])
  assert.deepEqual(providers.brightdata, {
    customer: 'hl_1',
    zones: { 'web-unlocker': { zone: 'z1', password: '12345' } },
  })
  assert.ok(providers.other && 'username' in providers.other)
})

test('an error in the proxies file names the problem and shows no password', async () => {
  for (const text of [
    'http://u:s3cret@a.example:1\nftp://u:s3cret@b.example\n',
    'proxies: [{ url: "http://u:s3cret@a.example:1", contry: de }]',
    'proxies: ["http://u:s3cret@a.example:1"\n  - [',
    'providers: { x: { customer: 1 } }',
  ]) {
    await using file = await temporaryFile('proxies.yaml', text)
    assert.throws(
      () => readProxiesFile(file.path),
      (error: unknown) =>
        error instanceof Failure &&
        error.message.includes('SCRAPER_PROXIES_FILE') &&
        !error.message.includes('s3cret'),
      text,
    )
  }
  assert.throws(() => readProxiesFile('/nowhere/proxies.txt'), /can't be read/)
})
