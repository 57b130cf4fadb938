// Checks the architecture: which folder may import which, where each package may be used, and rules for every file.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { loadedModules } from '../ci/bundle.ts'
import { optionalFeatures } from '../src/lib/optional-packages.ts'
import { importCycles } from './architecture/cycles.ts'
import {
  type Import,
  importsIn,
  isTest,
  partOf,
  projectRoot,
  readSourceFiles,
  type SourceFile,
} from './architecture/source-files.ts'
import {
  dashboardMayName,
  environmentReader,
  longestFile,
  mayImport,
  mayImportTypes,
  mayName,
  mayNameBuiltIn,
  withoutBuiltIns,
} from './architecture/tables.ts'

const all = readSourceFiles('{src,test,ci,bench,examples,load}/**/*.ts', 'dashboard/**/*.{ts,tsx}')
const source = all.filter(file => file.path.startsWith('src/'))
const product = source.filter(file => !isTest(file.path))
const readJson = <Value>(path: string): Value =>
  JSON.parse(readFileSync(join(projectRoot, path), 'utf8')) as Value
const packageJson = readJson<
  Record<'dependencies' | 'devDependencies' | 'peerDependencies', Record<string, string>> & {
    peerDependenciesMeta: Record<string, { optional?: boolean }>
  }
>('package.json')

const line = (file: SourceFile, { path, module }: Import) => `${file.path} → ${path ?? module}`

/** One line per violation, so that the message lists what to change. */
function none(violations: string[], rule: string): void {
  assert.ok(violations.length === 0, `${rule}\n  ${violations.join('\n  ')}`)
}

const importsWhere = (files: SourceFile[], isWrong: (file: SourceFile, found: Import) => boolean): string[] =>
  files.flatMap(file => file.imports.filter(found => isWrong(file, found)).map(found => line(file, found)))

test('every folder of src has a row with the folders that it may import', () => {
  const rowless = new Set(source.map(file => file.part).filter(part => !(part in mayImport)))
  none([...rowless], 'Add to mayImport in test/architecture/tables.ts, after thinking about it:')
})

test('a folder of src imports only the folders that its row allows', () => {
  const isWrong = (file: SourceFile, { path, typesOnly }: Import): boolean => {
    if (path === null || (isTest(file.path) && path.startsWith('test/'))) return false
    const part = partOf(path)
    const allowed = [
      file.part,
      ...(mayImport[file.part] ?? []),
      ...(typesOnly ? (mayImportTypes[file.part] ?? []) : []),
    ]
    return !path.startsWith('src/') || !allowed.includes(part)
  }
  none(importsWhere(source, isWrong), 'Not allowed by mayImport in test/architecture/tables.ts:')
})

test('imported files exist, and product code imports no tests', () => {
  const isWrong = (file: SourceFile, { path }: Import): boolean =>
    path !== null && (!existsSync(join(projectRoot, path)) || (!isTest(file.path) && isTest(path)))
  none(importsWhere(source, isWrong), 'Missing, or a test:')
})

const isIn = (file: SourceFile, folders: readonly string[]): boolean =>
  folders.some(folder => file.path.startsWith(`src/${folder}/`))

test('a package is imported only in the folders that the table names', () => {
  const isWrong = (file: SourceFile, { module }: Import): boolean =>
    module !== null && !module.startsWith('node:') && !isIn(file, mayName[module] ?? [])
  none(importsWhere(product, isWrong), 'Not allowed by mayName in test/architecture/tables.ts:')
})

test('modules for the network, databases and threads are imported only in the folders that the table names', () => {
  const isWrong = (file: SourceFile, { module, typesOnly }: Import): boolean =>
    !typesOnly && module !== null && module in mayNameBuiltIn && !isIn(file, mayNameBuiltIn[module]!)
  none(importsWhere(product, isWrong), 'Not allowed by mayNameBuiltIn in test/architecture/tables.ts:')
})

test('the folders model and ports do no I/O', () => {
  const isWrong = (file: SourceFile, { module, typesOnly }: Import): boolean =>
    !typesOnly && withoutBuiltIns.includes(file.part) && module?.startsWith('node:') === true
  none(importsWhere(product, isWrong), 'Built-in modules in a part that does no I/O:')
})

test('every imported package is a dependency, and every dependency is imported', () => {
  const used = new Set(product.flatMap(file => file.imports.flatMap(({ module }) => module ?? [])))
  const packages = [...used].filter(name => !name.startsWith('node:'))
  const known = Object.keys({ ...packageJson.dependencies, ...packageJson.peerDependencies })
  none(
    packages.filter(name => !known.includes(name)),
    'Named in src, neither a dependency nor an optional peer in package.json:',
  )
  none(
    known.filter(name => !used.has(name) && !source.some(({ text }) => text.includes(`'${name}'`))),
    'A dependency in package.json that nothing in src names:',
  )
})

test('packages that only some features need are optional peers, in the versions that the tests use', () => {
  const listed = Object.assign({}, ...Object.values(optionalFeatures).map(({ packages }) => packages))
  const { dependencies, devDependencies, peerDependencies, peerDependenciesMeta } = packageJson
  const versions = Object.entries(peerDependencies).map(([name, range]) => [name, range.replace(/^\^/, '')])
  assert.deepEqual(Object.fromEntries(versions), Object.fromEntries(Object.entries(listed).sort()))
  for (const [name, version] of versions) {
    assert.equal(devDependencies[name!], version, `${name} is not installed in a checkout`)
    assert.ok(!(name! in dependencies), `${name} is installed for every user`)
    assert.equal(peerDependenciesMeta[name!]?.optional, true, `${name} is installed for every user`)
  }
})

test('optional packages are imported only when their feature is used', () => {
  // loadFor loads these files only when they are needed, so they may import optional packages.
  const loadedOnUse = ['src/adapters/otlp/spans.ts', 'src/cli/actions/mcp.ts']
  const names = Object.keys(packageJson.peerDependencies)
  const starts = (text: string) =>
    [...text.matchAll(/^import (?!type )[^;]*? from '([^']+)'/gm)].filter(([, target]) =>
      names.some(name => target === name || target!.startsWith(`${name}/`)),
    )
  none(
    product
      .filter(({ path, text }) => !loadedOnUse.includes(path) && starts(text).length > 0)
      .map(({ path }) => path),
    'Imports an optional package at its start; use loadFor of src/lib/optional-packages.ts:',
  )
})

test('packages install without scripts, and the lockfile names no registry', () => {
  const { packages } = readJson<{ packages: Record<string, LockedPackage> }>('package-lock.json')
  const named = (isWrong: (locked: LockedPackage) => boolean) =>
    Object.keys(packages).filter(name => isWrong(packages[name]!))
  none(
    named(locked => locked.hasInstallScript === true),
    'Needs an install script, and none is run:',
  )
  none(
    named(locked => locked.resolved !== undefined),
    'Named with an address in package-lock.json:',
  )
})

interface LockedPackage {
  hasInstallScript?: boolean
  resolved?: string
}

test('the package has the file of every thread', () => {
  const runsInThread = /import \{[^}]*\b(?:parentPort|workerData)\b[^}]*\} from 'node:worker_threads'/
  const missing = product
    .filter(({ path, text }) => path.startsWith('src/') && runsInThread.test(text))
    .filter(({ path }) => !loadedModules.includes(path.slice('src/'.length, -'.ts'.length)))
  none(
    missing.map(({ path }) => path),
    'Add to loadedModules in ci/bundle.ts, or kscrape does not find the file after installation:',
  )
})

test('there are no import cycles', () => {
  none(
    importCycles(source).map(cycle => cycle.join(' → ')),
    'Import cycles:',
  )
})

test('the dashboard imports only itself and what any client may import, and calls only the service', () => {
  const isWrong = (_file: SourceFile, { path, module, typesOnly }: Import): boolean => {
    if (module !== null) return !typesOnly && !dashboardMayName.includes(module)
    const part = partOf(path!)
    return !path!.startsWith('dashboard/') && !['client.ts', 'client', 'model'].includes(part)
  }
  const shown = all.filter(file => file.path.startsWith('dashboard/src/'))
  none(importsWhere(shown, isWrong), 'Not allowed in the dashboard:')
  none(
    shown
      .filter(file => /dangerouslySetInnerHTML|\.innerHTML|document\.write/.test(file.text))
      .map(({ path }) => path),
    'Text of pages is text: no markup is made of it:',
  )
})

test('only one file of the program reads environment variables', () => {
  const reads =
    /process\s*(\.|\?\.)\s*env\b|process\[['"]env|\{[^}]*\benv\b[^}]*\}\s*=\s*process\b|\benv\b[^']*from 'node:process'/
  const readers = product.filter(
    file => file.path !== environmentReader && reads.test(withoutComments(file.text)),
  )
  none(
    readers.map(file => file.path),
    `Reads process.env; only ${environmentReader} may:`,
  )
})

const withoutComments = (text: string): string => text.replace(/^\s*(\/\/|\*|\/\*).*$/gm, '')

test('every source file starts with a line that says its purpose', () => {
  const opens = (text: string) => /^(#!.*\n)?\/\/ \S.{10,}\n/.test(text)
  none(
    all.filter(file => !opens(file.text)).map(file => file.path),
    'The first line is no comment:',
  )
})

test(`no file of src is longer than ${longestFile} lines`, () => {
  const lengthOf = (file: SourceFile) => file.text.trimEnd().split('\n').length
  const long = source.filter(file => lengthOf(file) > longestFile)
  none(
    long.map(file => `${file.path}: ${lengthOf(file)} lines`),
    'Usually two ideas in one; name the second:',
  )
})

test('the import scanner finds every form of import, and ignores prose', () => {
  const text = [
    "import { a } from './one.ts'",
    "import {\n  type B,\n  type C,\n} from '../two.ts'",
    "export * from './three.ts'",
    "import './four.ts'",
    "const five = await import('./five.ts')",
    "type Six = typeof import('./six.ts')",
    "const seven = new URL('./seven.ts', import.meta.url)",
    "import { parse } from 'csv-parse/sync'",
    "// import { x } from './comment.ts'",
    "export const text = `taken from 'nowhere'`",
  ].join('\n')
  const seen = importsIn(text, 'src/lib/x.ts').map(({ path, module, typesOnly }) => [
    path ?? module,
    typesOnly,
  ])
  assert.deepEqual(seen, [
    ['src/lib/one.ts', false],
    ['src/two.ts', true],
    ['src/lib/three.ts', false],
    ['csv-parse', false],
    ['src/lib/four.ts', false],
    ['src/lib/five.ts', false],
    ['src/lib/six.ts', true],
    ['src/lib/seven.ts', false],
  ])
})

test('an import cycle is reported with the files on its path', () => {
  const file = (path: string, to: string): SourceFile => {
    const imports = [{ path: to, module: null, typesOnly: false }]
    return { path, part: 'lib', text: '', imports }
  }
  const cycles = importCycles([file('a.ts', 'b.ts'), file('b.ts', 'c.ts'), file('c.ts', 'b.ts')])
  assert.deepEqual(cycles, [['b.ts', 'c.ts', 'b.ts']])
})
