// Tests which scrapers of users can be loaded, and the errors for the others.
import assert from 'node:assert/strict'
import { mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadScrapers } from './scraper-files.ts'

const sound = `export default { id: 'sound', version: '1.0.0', name: 'Sound', description: '' }`

test('a broken file fails only jobs that use its scraper, and the error names the line', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'kscrape-scrapers-'))
  const files = Object.entries({
    'sound.mjs': sound,
    'syntax.ts': 'export const x = 1\nexport default {{{\n',
    'throws.mjs': '\n\nthrow new Error("no key")\n',
    'nothing.mjs': 'export const x = 1\n',
  }).map(([name, text]) => {
    writeFileSync(join(folder.path, name), text)
    return join(folder.path, name)
  })
  const registry = await loadScrapers(files)
  assert.equal(registry.get('sound').id, 'sound')
  assert.equal(registry.get('page').id, 'page')
  assert.throws(() => registry.get('syntax'), {
    code: 'input.invalid',
    message: /^syntax\.ts:2 can't be loaded: /,
  })
  assert.throws(() => registry.get('throws'), { message: "throws.mjs:3 can't be loaded: no key" })
  assert.throws(() => registry.get('nothing'), { message: /^nothing\.mjs defines no scraper/ })
  assert.throws(() => registry.get('other'), {
    code: 'scraper.unknown',
    message: /no scraper is called "other".*syntax\.ts:2 can't be loaded/,
  })
})

test('if two files define the same scraper id, jobs that name it fail, and other jobs run', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'kscrape-scrapers-'))
  const files = ['a.mjs', 'b.mjs'].map(name => {
    writeFileSync(join(folder.path, name), sound)
    return join(folder.path, name)
  })
  const registry = await loadScrapers(files)
  assert.throws(() => registry.get('sound'), { message: 'two scrapers are called "sound"' })
  assert.equal(registry.get('page').id, 'page')
})
