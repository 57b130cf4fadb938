// Tests features whose packages are not installed: the message of the failure, and the command that installs them.
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { installCommand, loadFor } from './optional-packages.ts'

test('a feature without its package fails with the command that installs it', async () => {
  const nowhere = 'a-package-that-nobody-has'
  const failure = await loadFor('pdf', () => import(nowhere)).catch(error => error)
  assert.equal(failure.code, 'feature.missing')
  assert.match(
    failure.message,
    /^the text of PDFs needs the package unpdf.*npm install .*unpdf@\d+\.\d+\.\d+$/,
  )
  assert.deepEqual(failure.details.packages, ['unpdf'])
})

test('an error of an installed package is passed on', async () => {
  const broken = () => Promise.reject(new TypeError('its own mistake'))
  await assert.rejects(loadFor('pdf', broken), /its own mistake/)
})

test('the command installs into the folder where this installation finds packages', async () => {
  const root = await mkdtemp(join(tmpdir(), 'kscrape-optional-'))
  try {
    const own = join(root, 'app/node_modules/kscrape/dist/lib')
    const global = join(root, 'usr/lib/node_modules/kscrape/dist/lib')
    for (const folder of [own, global]) await mkdir(folder, { recursive: true })
    await writeFile(join(root, 'app/package.json'), '{}')
    const command = (ownFolder: string, workingFolder: string) =>
      installCommand('mcp', { ownFolder, workingFolder }).replace(/@[\d.]+$/, '')
    const name = '@modelcontextprotocol/sdk'
    assert.equal(command(own, join(root, 'app')), `npm install ${name}`)
    assert.equal(command(own, root), `npm install --prefix ${join(root, 'app')} ${name}`)
    assert.equal(command(global, root), `npm install --global ${name}`)
    assert.equal(command(join(root, 'checkout/src/lib'), root), `npm install ${name}`)
  } finally {
    await rm(root, { recursive: true, force: true })
  }
})
