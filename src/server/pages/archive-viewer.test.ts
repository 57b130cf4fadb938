// Tests which pages may read an archive that `kscrape archive show` serves.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openViewer } from './archive-viewer.ts'

async function statusOf(url: string, headers: Record<string, string>): Promise<number> {
  const [response] = (await once(get(url, { headers }), 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode!
}

test('a website whose name resolves to this machine cannot read the archive', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kscrape-viewer-'))
  const file = join(folder, 'pages.wacz')
  await writeFile(file, 'archive')
  {
    await using viewer = await openViewer({ file, viewer: folder, port: 0 })
    const archive = new URL(viewer.url).searchParams.get('source')!
    assert.equal(await statusOf(archive, {}), 200)
    assert.equal(await statusOf(archive, { host: 'attacker.example' }), 403)
    assert.equal(await statusOf(archive, { origin: 'http://attacker.example' }), 403)
  }
  await rm(folder, { recursive: true })
})
