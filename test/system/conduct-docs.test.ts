// The pages on politeness, security and search are true: their commands run as they stand.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { keyScopes } from '../../src/model/access.ts'
import { consents, grantableConsents } from '../../src/model/conduct.ts'
import { startTestSite } from '../site/index.ts'
import { operatorKey, TestService } from '../support/service.ts'

const run = promisify(execFile)
const pageOf = (name: string): string =>
  readFileSync(join(import.meta.dirname, `../../docs/${name}.md`), 'utf8')

for (const name of ['politeness', 'security', 'search'])
  test(`the commands of docs/${name}.md run as they stand`, { timeout: 60_000 }, async () => {
    await using site = await startTestSite()
    const place = `${site.host}:${site.port}`
    await using service = await TestService.open({ settings: { allowPrivate: [place] } })
    const blocks = [...pageOf(name).matchAll(/```sh\n(.*?)```/gs)].map(([, text]) => text!)
    assert.ok(blocks.length > 0)
    const script = ['set -euo pipefail', ...blocks].join('\n').replaceAll('127.0.0.1:8080', place)
    const env = { ...process.env, SERVER: service.url, KEY: operatorKey }
    await run('bash', ['-c', script], { env })
  })

test('docs/security.md names every scope and every switch', () => {
  const page = pageOf('security')
  for (const scope of [...keyScopes, ...grantableConsents]) assert.ok(page.includes(`\`${scope}\``), scope)
  assert.ok(grantableConsents.every(what => consents.includes(what)))
})
