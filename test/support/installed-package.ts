// Packs the project as for a publication, and installs it in an empty folder, without a registry.
import { execFile } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { cp, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')

export interface InstalledPackage extends AsyncDisposable {
  /** A folder that contains only `node_modules/kscrape` and the packages on which it depends. */
  folder: string
  /** The package.json of the installed package. */
  about: {
    version: string
    dependencies: Record<string, string>
    optionalDependencies?: Record<string, string>
    peerDependencies: Record<string, string>
  }
  /** The paths of all files in the package. */
  files: string[]
}

export async function installPackage(): Promise<InstalledPackage> {
  await using opened = new AsyncDisposableStack()
  const work = await mkdtemp(join(tmpdir(), 'kscrape-package-'))
  opened.defer(() => rm(work, { recursive: true, force: true }))
  const folder = join(work, 'app')
  const target = join(folder, 'node_modules/kscrape')
  await mkdir(target, { recursive: true })
  // Node ends its search for packages at this file. Otherwise Node could find a package.json in a parent folder.
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await run('tar', ['-xzf', await pack(work), '-C', target, '--strip-components=1'])
  const about = JSON.parse(await readFile(join(target, 'package.json'), 'utf8')) as InstalledPackage['about']
  // Links only declared dependencies, so that a missing declaration fails here as it would for a user.
  for (const name of Object.keys(about.dependencies)) await link(folder, name)
  const files = await readdir(target, { recursive: true })
  const owned = opened.move()
  return { folder, about, files, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** The space on disk of the package and all packages on which it depends, in bytes. Optional peers are not part of an installation. */
export async function installedBytes(folder: string): Promise<number> {
  const found = new Set<string>()
  const visit = async (name: string, from: string): Promise<void> => {
    const path = packageOf(name, from)
    if (!path || found.has(path)) return
    found.add(path)
    const about = JSON.parse(await readFile(join(path, 'package.json'), 'utf8')) as InstalledPackage['about']
    const needed = { ...about.dependencies, ...about.optionalDependencies }
    for (const each of Object.keys(needed)) await visit(each, path)
  }
  await visit('kscrape', folder)
  let bytes = 0
  for (const path of found) bytes += await bytesOf(path)
  return bytes
}

/** Searches for a package as Node does, from the real folder of a package upwards. Null for optional packages of other platforms. */
function packageOf(name: string, from: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name)
    if (existsSync(path)) return realpathSync(path)
    if (folder === dirname(folder)) return null
  }
}

async function bytesOf(path: string): Promise<number> {
  const entries = await readdir(path, { withFileTypes: true })
  const sizes = entries
    .filter(({ name }) => name !== 'node_modules')
    .map(async entry => {
      const inner = join(path, entry.name)
      return (entry.isDirectory() ? await bytesOf(inner) : 0) + (await lstat(inner)).blocks * 512
    })
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

/** Packs a copy of the project, so that two test runs do not build into the same dist/. */
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

/** Links a package of this project into the folder. */
export async function link(folder: string, name: string): Promise<void> {
  const path = join(folder, 'node_modules', name)
  await mkdir(dirname(path), { recursive: true })
  await symlink(join(root, 'node_modules', name), path)
}
