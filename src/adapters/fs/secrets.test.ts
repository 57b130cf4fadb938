// Tests where secrets are read from, and which secrets files are refused.
import assert from 'node:assert/strict'
import { chmod } from 'node:fs/promises'
import { test } from 'node:test'
import { temporaryFile } from '../../../test/support/temporary-file.ts'
import { openSecrets } from './secrets.ts'

test('a secret in the environment wins over the secrets file, and the letter case of its name does not matter', async () => {
  await using file = await temporaryFile('secrets.env', '# for the shop\nSHOP=from-file\nother="two words"\n')
  const secrets = openSecrets({ environment: { SHOP: 'from-variable' }, file: file.path, isNamed: true })
  assert.equal(await secrets.get('shop'), 'from-variable')
  assert.equal(await secrets.get('OTHER'), 'two words')
  assert.equal(await secrets.get('NONE'), null)
  assert.deepEqual((await secrets.names()).sort(), ['OTHER', 'SHOP'])
})

test('without a secrets file there are no secrets, but a secrets file that the settings name must exist', async () => {
  const places = { environment: {}, file: '/no/such/secrets.env' }
  assert.equal(await openSecrets({ ...places, isNamed: false }).get('A'), null)
  await assert.rejects(openSecrets({ ...places, isNamed: true }).get('A'), {
    code: 'secret.missing',
    message: /\/no\/such\/secrets\.env/,
  })
})

test('a secrets file that other users can read is refused, and the error names the remedy', async () => {
  await using file = await temporaryFile('secrets.env', 'A=1\n')
  await chmod(file.path, 0o644)
  const secrets = openSecrets({ environment: {}, file: file.path, isNamed: false })
  await assert.rejects(secrets.get('A'), { code: 'secret.missing', message: /chmod 600/ })
})
