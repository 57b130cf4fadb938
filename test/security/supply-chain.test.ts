// Packages are pinned by hash, and the base image by tag and digest where the digest is known.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'

const root = new URL('../../', import.meta.url)

interface Entry {
  link?: boolean
  integrity?: string
  resolved?: string
  optional?: boolean
  os?: string[]
}

/** Optional binaries for other systems that the registry did not serve when the lockfile was written. None may be added. */
const mostWithoutHash = 42

test('every entry of the lockfile has a hash, except known binaries for other systems', async () => {
  const lock = JSON.parse(await readFile(new URL('package-lock.json', root), 'utf8')) as {
    packages: Record<string, Entry>
  }
  const without = Object.entries(lock.packages).filter(
    ([path, entry]) => path && !entry.link && !entry.integrity,
  )
  for (const [path, entry] of without) assert.ok(entry.optional, `${path} has no integrity`)
  assert.ok(without.length <= mostWithoutHash, `${without.length} entries have no integrity`)
  for (const { resolved = 'https://registry.npmjs.org/' } of Object.values(lock.packages))
    assert.match(resolved, /^https:\/\/registry\.npmjs\.org\//)
})

test('a base image that names a digest names a whole one, and the same everywhere', async () => {
  const dockerfile = await readFile(new URL('Dockerfile', root), 'utf8')
  const bases = [...dockerfile.matchAll(/^FROM (node:\S+)/gm)].map(([, base]) => base!)
  assert.equal(new Set(bases).size, 1)
  assert.match(bases[0]!, /^node:\d+\.\d+\.\d+-bookworm-slim(@sha256:[0-9a-f]{64})?$/)
})
