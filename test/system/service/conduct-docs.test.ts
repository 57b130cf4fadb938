// Tests that docs/security.md names every scope and every consent.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { keyScopes } from '../../../src/model/access.ts'
import { consents, grantableConsents } from '../../../src/model/conduct.ts'

const pageOf = (name: string): string =>
  readFileSync(join(import.meta.dirname, `../../../docs/${name}.md`), 'utf8')

test('docs/security.md names every scope and every consent', () => {
  const page = pageOf('security')
  for (const scope of [...keyScopes, ...grantableConsents]) assert.ok(page.includes(`\`${scope}\``), scope)
  assert.ok(grantableConsents.every(what => consents.includes(what)))
})
