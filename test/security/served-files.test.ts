// Promise: the dashboard, the guide and the API reference serve only their own files, each with its type and a policy.
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sendRaw } from '../support/raw-request.ts'
import { TestService } from '../support/service.ts'

const ask = (base: string, path: string) => sendRaw(base, { method: 'GET', path })

test('however a path is written, it cannot lead out of the folders of built files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kscrape-files-'))
  const [dashboardFolder, guideFolder] = [join(folder, 'dashboard'), join(folder, 'guide')]
  for (const path of [join(dashboardFolder, 'assets'), join(guideFolder, 'assets')])
    await mkdir(path, { recursive: true })
  for (const name of ['secret.json', 'secret.html', 'dashboard/secret.json', 'guide-secret.html'])
    await writeFile(join(folder, name), '"geheim-4711"')
  await writeFile(join(dashboardFolder, 'index.html'), '<p>dashboard</p>')
  await writeFile(join(guideFolder, 'index.html'), '<p>guide</p><script>let a = 1</script>')
  await writeFile(join(guideFolder, 'notes.txt'), 'geheim-4711')
  await using service = await TestService.open({ dashboardFolder, guideFolder })
  const ups = ['..', '%2e%2e', '%2E.', '%252e%252e', '..%00', '..;', '....', '.%2e']
  const slashes = ['/', '%2f', '%252f', '\\', '%5c', '//', '/./', '%00/']
  const names = ['secret.json', 'secret']
  const paths = ['/guide', '/guide/assets', '/assets', '/docs/js', ''].flatMap(base =>
    ups.flatMap(up =>
      slashes.flatMap(slash =>
        names.flatMap(name => [`${base}/${up}${slash}${name}`, `${base}/${up}${slash}${up}${slash}${name}`]),
      ),
    ),
  )
  const others = [
    '/guide//etc/passwd',
    '/guide/%2fetc/passwd',
    '/guide/notes.txt',
    '/guide/..guide-secret',
    '/guide/%ff',
    '/guide/%',
  ]
  for (const path of [...paths, ...others]) {
    const { status, text } = await ask(service.url, path)
    assert.ok(status >= 300 && status < 500, `${path} ${status}`)
    assert.doesNotMatch(text, /geheim-4711|root:/, path)
  }
  for (const path of ['/', '/guide/']) {
    const { status, headers } = await ask(service.url, path)
    const policy = String(headers['content-security-policy'])
    assert.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8'])
    assert.match(policy, /^default-src 'none'; script-src 'self'/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.doesNotMatch(policy, /script-src[^;]*unsafe|https?:|\*/)
    assert.equal(headers['x-content-type-options'], 'nosniff')
  }
  await rm(folder, { recursive: true, force: true })
})
