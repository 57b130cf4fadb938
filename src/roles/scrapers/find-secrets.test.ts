// Tests how secrets are found in source text: by format and by name. Selectors and field names do not count.
import assert from 'node:assert/strict'
import test from 'node:test'
import { findSecrets } from './find-secrets.ts'

test('keys in known formats, and values whose names suggest a secret, are found with their lines', () => {
  // The keys are assembled from parts, so that secret scanners do not report this file.
  const source = [
    "const url = 'https://example.com/'",
    `const aws = '${'AKIA'}ABCDEFGHIJKLMNOP'`,
    `headers: { authorization: 'Bearer ${'a1b2c3'.repeat(4)}' }`,
    `const password = '${'hunter'}2222'`,
    `open('https://ann:${'pw12345'}@example.com/')`,
  ].join('\n')
  assert.deepEqual(
    findSecrets(source).map(({ line }) => line),
    [2, 3, 4, 5],
  )
})

test('text that only mentions secrets is not a finding', () => {
  const source = [
    "const field = page.attr('input[name=csrf_token]', 'value')",
    'password: input.password,',
    "token: z.string().describe('the token'),",
    "const key = 'h1.title2'",
    `const url = \`https://\${user}:\${password}@example.com/\``,
  ]
  assert.deepEqual(findSecrets(source.join('\n')), [])
})

test('a finding has a name and never shows the secret', () => {
  const [found] = findSecrets(`apiKey: '${'abcdef'}123456'`)
  assert.equal(found?.what, 'a value for "apiKey"')
})
