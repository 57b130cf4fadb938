// The sources of secrets, and which files are refused.
import assert from 'node:assert/strict'
import { chmod } from 'node:fs/promises'
import { test } from 'node:test'
import { temporaryFile } from '../../../test/support/temporary-file.ts'
import { openSecrets } from './secrets.ts'

test('a variable wins over the file, and names ignore letter case', async () => {
  await using file = await temporaryFile('secrets.env', '# for the shop\nSHOP=from-file\nother="two words"\n')
  const secrets = openSecrets({ environment: { SHOP: 'from-variable' }, file: file.path, isNamed: true })
  assert.equal(await secrets.get('shop'), 'from-variable')
  assert.equal(await secrets.get('OTHER'), 'two words')
  assert.equal(await secrets.get('NONE'), null)
  assert.deepEqual((await secrets.names()).sort(), ['OTHER', 'SHOP'])
})

test('a missing file means no secrets, unless the file was named', async () => {
  const places = { environment: {}, file: '/no/such/secrets.env' }
  assert.equal(await openSecrets({ ...places, isNamed: false }).get('A'), null)
  await assert.rejects(openSecrets({ ...places, isNamed: true }).get('A'), {
    code: 'secret.missing',
    message: /\/no\/such\/secrets\.env/,
  })
})

test('a file that others can read is refused with the remedy', async () => {
  await using file = await temporaryFile('secrets.env', 'A=1\n')
  await chmod(file.path, 0o644)
  const secrets = openSecrets({ environment: {}, file: file.path, isNamed: false })
  await assert.rejects(secrets.get('A'), { code: 'secret.missing', message: /chmod 600/ })
})
