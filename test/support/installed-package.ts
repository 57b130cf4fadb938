// Packs the project as it would be published and installs it in an empty folder, without a registry.
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')

export interface InstalledPackage extends AsyncDisposable {
  /** A folder with `node_modules/kscrape` and the packages it depends on, and nothing else. */
  folder: string
  /** Its `package.json`. */
  about: { version: string; dependencies: Record<string, string> }
  /** The files in it, from its own folder. */
  files: string[]
}

export async function installPackage(): Promise<InstalledPackage> {
  await using opened = new AsyncDisposableStack()
  const work = await mkdtemp(join(tmpdir(), 'kscrape-package-'))
  opened.defer(() => rm(work, { recursive: true, force: true }))
  const folder = join(work, 'app')
  const target = join(folder, 'node_modules/kscrape')
  await mkdir(target, { recursive: true })
  // Node stops its package search here. Otherwise a package.json above would count.
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await run('tar', ['-xzf', await pack(work), '-C', target, '--strip-components=1'])
  const about = JSON.parse(await readFile(join(target, 'package.json'), 'utf8')) as InstalledPackage['about']
  // Only these, so that a package missing from the dependencies is noticed, as it would be by a user.
  for (const name of Object.keys(about.dependencies)) await link(folder, name)
  const files = await readdir(target, { recursive: true })
  const owned = opened.move()
  return { folder, about, files, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** From a copy, so that two runs do not build into each other's dist/. */
async function pack(work: string): Promise<string> {
  const copy = join(work, 'project')
  await mkdir(copy)
  const needed = [
    'package.json',
    'tsconfig.json',
    'tsconfig.build.json',
    'README.md',
    'LICENSE',
    'bin',
    'ci',
    'src',
    'dashboard',
    'docs',
    'guide',
  ]
  for (const name of needed)
    await cp(join(root, name), join(copy, name), { recursive: true, verbatimSymlinks: true })
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
  await run('npm', ['pack', '--silent', '--pack-destination', work], { cwd: copy })
  const tarball = (await readdir(work)).find(name => name.endsWith('.tgz'))
  return join(work, tarball!)
}

/** Links the project as a package into the folder. */
export async function link(folder: string, name: string): Promise<void> {
  const path = join(folder, 'node_modules', name)
  await mkdir(dirname(path), { recursive: true })
  await symlink(join(root, 'node_modules', name), path)
}
