// Tests built files in both forms: plain, as in a checkout, and compressed, as in the published package.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { BuiltFiles } from './built-files.ts'

test('a file is served from its compressed form only if there is no plain form', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kscrape-built-'))
  try {
    await writeFile(join(folder, 'a.js.gz'), gzipSync('let a'))
    await writeFile(join(folder, 'b.js'), 'let b')
    await writeFile(join(folder, 'b.js.gz'), gzipSync('old'))
    const files = new BuiltFiles(folder)
    for (const [name, text] of [
      ['a.js', 'let a'],
      ['b.js', 'let b'],
    ] as const) {
      const file = await files.file(name)
      assert.equal(file?.bytes.toString(), text)
      assert.equal(gunzipSync(file.gzipped).toString(), text)
      assert.equal(file.type, 'text/javascript; charset=utf-8')
    }
    assert.equal(await files.file('c.js'), null)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
