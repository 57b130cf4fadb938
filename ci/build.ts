// Builds the package: JavaScript and types in dist/, and the files that are read at run time.
import { spawnSync } from 'node:child_process'
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { parse } from 'yaml'
import { bundle, loadedModules } from './bundle.ts'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')

function compile(): boolean {
  const tsc = join(root, 'node_modules/.bin/tsc')
  return spawnSync(tsc, ['--project', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' }).status === 0
}

/** The dashboard, which the service serves at `/`. */
function buildDashboard(): boolean {
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const { status } = spawnSync(process.execPath, [vite, 'build', 'dashboard', '--logLevel', 'warn'], {
    cwd: root,
    stdio: 'inherit',
  })
  return status === 0
}

/** What the service shows at `/guide`. */
const buildGuide = (): boolean => spawnSync(join(root, 'ci/guide'), { stdio: 'inherit' }).status === 0

function copyAssets(): void {
  const files = globSync('**/*.*', { cwd: join(root, 'src') })
  for (const path of files.filter(path => !path.endsWith('.ts'))) {
    mkdirSync(dirname(join(dist, path)), { recursive: true })
    copyFileSync(join(root, 'src', path), join(dist, path))
  }
  const policies = parse(readFileSync(join(dist, 'config/domain_policies.yaml'), 'utf8'))
  writeFileSync(join(dist, 'config/domain_policies.json'), JSON.stringify(policies))
}

const publicModules = ['index', 'client', 'testing']
/** Folders whose JavaScript files are all packaged. The program finds built-in scrapers by reading their folder, and the other
 *  folders contain no modules that could be unreachable. */
const wholeFolders = /^(scraper\/builtin|joined|dashboard|guide)\//

/** Deletes modules that were joined, and types that users cannot reach. These are nine of ten files. */
function dropUnreachable(): void {
  const builtin = globSync('scraper/builtin/**/*.js', { cwd: dist }).map(path => path.slice(0, -3))
  const reached = new Set([
    ...reachedFrom([...loadedModules, ...builtin], '.js'),
    ...reachedFrom(publicModules, '.d.ts'),
  ])
  for (const path of globSync(['**/*.js', '**/*.d.ts'], { cwd: dist }))
    if (!reached.has(join(dist, path)) && !(path.endsWith('.js') && wholeFolders.test(path)))
      rmSync(join(dist, path))
}

function reachedFrom(modules: readonly string[], ending: '.js' | '.d.ts'): Set<string> {
  const reached = new Set<string>()
  const visit = (path: string): void => {
    if (reached.has(path)) return
    reached.add(path)
    for (const [, from] of readFileSync(path, 'utf8').matchAll(importedPath))
      visit(join(dirname(path), from!).replace(/\.[jt]s$/, ending))
  }
  for (const name of modules) visit(join(dist, name + ending))
  return reached
}

const importedPath = /(?:from|import|import\()\s*['"](\.[^'"]+\.[jt]s)['"]/g

/** Files up to this size are not compressed, because they would take the same space on disk. */
const smallestCompressed = 4_096

/** Replaces large files of the dashboard and the guide by gzipped ones. The service can send both. */
function compressPages(): void {
  for (const path of globSync('{dashboard,guide}/**/*.{html,js,css,json,svg}', { cwd: dist })) {
    const file = join(dist, path)
    const bytes = readFileSync(file)
    if (bytes.length <= smallestCompressed) continue
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
    rmSync(file)
  }
}

// Deletes the earlier build. Otherwise a renamed file would be published under both names.
rmSync(dist, { recursive: true, force: true })
if (compile() && buildDashboard() && buildGuide()) {
  copyAssets()
  // CPU profiles name functions by their file. With `--apart`, each module keeps its own file.
  if (!process.argv.includes('--apart')) {
    await bundle(dist)
    dropUnreachable()
  }
  compressPages()
} else {
  console.error('build: compilation failed; dist/ is incomplete and must not be published')
  process.exitCode = 1
}
