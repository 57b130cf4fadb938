// Joins our modules into few files. Without this, Node loads 580 modules for a lane one by one. With joined modules, a crawl of
// 50 pages takes a third less CPU time and 25 MB less memory.
import { copyFileSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { type OutputChunk, type OutputOptions, type Plugin, rolldown } from 'rolldown'

/** Entry points of programs, threads and the public API, without their ending. */
export const entryModules = [
  'index',
  'testing',
  'cli/main',
  'roles/lanes/lane-thread',
  'roles/reader/reader-process',
]

/** Modules that the program loads by their path: the entry points, and small threads whose files stay as they are. */
export const loadedModules = [
  ...entryModules,
  'client',
  'extract/regex-worker',
  'extract/formats/pdf-worker',
  'adapters/sqlite/checkpoint-thread',
]

/** Other packages that are joined with our modules. `scrape` would otherwise load 60 of their files. Nearly a hundred modules of
 *  zod are never used, so the bundler leaves them out. tough-cookie, tldts and the tables of @exodus/bytes stay packages, because they
 *  are large and loaded on first use. */
const joinedPackages = [
  ...['zod', 'fastify-type-provider-zod', '@exodus/bytes', 'csv-parse', 'commander', 'css-what', 'entities'],
  ...['html-encoding-sniffer', 'picocolors'],
]
/** V8 stores the source text of each module in memory. If one character is not Latin-1, every character takes two bytes. ASCII
 *  text without comments halves this memory. Names and lines do not change, because stack traces show them. */
const small = {
  comments: { legal: true, annotation: false, jsdoc: false },
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: false, asciiOnly: true } },
} as const

/** Helpers that the bundler itself adds. */
const helpers = '@oxc-project/runtime'

const isJoined = (id: string): boolean =>
  id.startsWith('.') ||
  id.startsWith('/') ||
  [...joinedPackages, helpers].some(name => id === name || id.startsWith(`${name}/`))

/** Replaces each entry module of the package by one line that exports its joined file. Otherwise a thread could load the joined
 *  and the single copy of a module. */
export async function bundle(dist: string): Promise<void> {
  const folder = join(dist, 'joined')
  mkdirSync(folder)
  for (const { fileName, code } of await joinModules(dist, '.js', folder, {
    ...small,
    codeSplitting: { groups: groupsOf(dist) },
  }))
    writeFileSync(join(folder, fileName), code)
  for (const entry of entryModules)
    writeFileSync(join(dist, `${entry}.js`), `export * from '${fromEntry(entry)}'\n`)
  for (const name of joinedPackages) copyLicense(folder, name)
}

/** By default, the bundler writes one file for each set of modules that the same entries import: 305 files, of which `scrape`
 *  loads 159. These four groups replace most of the files. A module belongs to the first group that it fits, and a group also
 *  takes the modules that its modules import. */
function groupsOf(dist: string): Array<{ name: string; test: (id: string) => boolean; priority: number }> {
  const of = (...names: string[]) => closureOf(names.map(name => join(dist, `${name}.js`)))
  const [program, lane] = [of('cli/main'), of('roles/lanes/lane-thread')]
  const run = of('cli/actions/scrape', 'cli/flags/targets', 'cli/flags/flag-spec', 'cli/jobs/start-job')
  // An entry runs when it is loaded, so it stays in a file of its own.
  const programs = new Set(entryModules.map(entry => join(dist, `${entry}.js`)))
  return [
    { name: 'shared', test: id => program.has(id) && lane.has(id), priority: 4 },
    { name: 'program', test: id => program.has(id) && !programs.has(id), priority: 3 },
    { name: 'lane', test: id => lane.has(id) && !programs.has(id), priority: 2 },
    { name: 'run', test: id => run.has(id) && !programs.has(id), priority: 1 },
  ]
}

/** The modules themselves and those that they import statically. */
function closureOf(paths: readonly string[], reached = new Set<string>()): Set<string> {
  for (const path of paths) {
    if (reached.has(path)) continue
    reached.add(path)
    const imported = readFileSync(path, 'utf8').matchAll(staticImport)
    closureOf(
      Array.from(imported, ([, from]) => join(dirname(path), from!)),
      reached,
    )
  }
  return reached
}

const staticImport = /(?:\bfrom|^import)\s*['"](\.[^'"]+\.js)['"]/gm

/** Joins the modules that the entry modules in `root` load. `folder` is where the joined files will be. */
export async function joinModules(
  root: string,
  ending: '.js' | '.ts',
  folder: string,
  output: OutputOptions = {},
): Promise<OutputChunk[]> {
  const joined = await rolldown({
    input: Object.fromEntries(entryModules.map(entry => [nameOf(entry), join(root, entry + ending)])),
    platform: 'node',
    external: id => !isJoined(id),
    plugins: [keepPlaces(root, folder)],
    checks: { ineffectiveDynamicImport: false },
  })
  const generated = await joined.generate({
    format: 'esm',
    chunkFileNames: '[name]-[hash].js',
    ...output,
  })
  return generated.output.filter(file => file.type === 'chunk')
}

/** The joined file of an entry module. */
export const joinedFile = (entry: string): string => `${nameOf(entry)}.js`

function fromEntry(entry: string): string {
  const path = relative(dirname(entry), join('joined', joinedFile(entry)))
  return path.startsWith('.') ? path : `./${path}`
}

const nameOf = (entry: string): string => entry.replaceAll('/', '-')

/** Modules look for files beside them, so each joined module keeps its original URL. */
const keepPlaces = (root: string, folder: string): Plugin => ({
  name: 'keep-places',
  transform(code, id) {
    if (!id.startsWith(`${root}/`) || !code.includes('import.meta')) return null
    const place = JSON.stringify(relative(folder, id))
    return code
      .replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`)
      .replaceAll(
        'import.meta.dirname',
        `process.getBuiltinModule('node:url').fileURLToPath(new URL('.', new URL(${place}, import.meta.url)))`,
      )
  },
})

function copyLicense(folder: string, name: string): void {
  const [license] = globSync('LICENSE*', { cwd: join(packages, name) })
  const copy = join(folder, 'licenses', `${name}.txt`)
  mkdirSync(dirname(copy), { recursive: true })
  copyFileSync(join(packages, name, license!), copy)
}

const packages = join(import.meta.dirname, '../node_modules')
