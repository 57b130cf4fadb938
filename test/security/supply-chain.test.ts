// Packages are pinned by hash, and the base image by tag and digest where the digest is known.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { pinDockerfile, pinLockfile } from '../../ci/pin.ts'

const digest = `sha256:${'ab12'.repeat(16)}`

/** The registries, as far as `ci/pin.ts` asks them. */
const registries = async (url: string, init: RequestInit = {}): Promise<Response> => {
  if (url.startsWith('https://auth.docker.io/token?')) return Response.json({ token: 'token-4711' })
  if (url === 'https://registry-1.docker.io/v2/library/node/manifests/24.21.0-bookworm-slim') {
    assert.equal(new Headers(init.headers).get('authorization'), 'Bearer token-4711')
    return new Response(null, { headers: { 'docker-content-digest': digest } })
  }
  if (url === 'https://registry.npmjs.org/@a/known/1.0.0')
    return Response.json({ dist: { tarball: 'https://registry.npmjs.org/a.tgz', integrity: 'sha512-a' } })
  return new Response(null, { status: 404 })
}

test('ci/pin.ts writes the digest into every stage, and renews an old one', async () => {
  const stages = (mark: string) =>
    ['build', 'slim'].map(name => `FROM node:24.21.0-bookworm-slim${mark} AS ${name}\n`).join('') +
    'FROM slim AS browser\n'
  for (const mark of ['', `@sha256:${'0'.repeat(64)}`])
    assert.equal(await pinDockerfile(stages(mark), registries), stages(`@${digest}`))
})

test('ci/pin.ts adds the hashes that the registry has, and names what it does not have', async () => {
  const packages = {
    '': { version: '0' },
    'node_modules/@a/known': { version: '1.0.0', optional: true },
    'node_modules/b/node_modules/gone': { version: '2.0.0' },
  }
  const { text, missing } = await pinLockfile(JSON.stringify({ packages }), registries)
  assert.deepEqual(missing, ['gone@2.0.0'])
  const known = JSON.parse(text).packages['node_modules/@a/known'] as Entry
  assert.deepEqual([known.integrity, known.optional], ['sha512-a', true])
})

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
