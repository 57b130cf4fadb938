// Which nightly tests cover which code. `make test` includes a nightly file only if that code changed.
import { execFileSync } from 'node:child_process'

export interface Row {
  /** The path prefix of the nightly files. */
  tests: string
  /** The path prefixes of the code that these files cover. */
  covers: readonly string[]
}

/** A nightly file without a row runs in `make test` only when the file itself changed. */
export const nightlyTable: readonly Row[] = [
  { tests: 'test/chaos/', covers: ['test/chaos/'] },
  { tests: 'test/documents-', covers: ['docs/', 'README.md', 'ci/docs-check/', 'src/cli/'] },
  { tests: 'test/contracts/', covers: ['src/adapters/postgres/', 'src/ports/store', 'test/contracts/'] },
  { tests: 'test/dashboard/', covers: ['dashboard/src/'] },
  {
    tests: 'test/drop-in/openapi',
    covers: [
      'src/server/api-words/',
      'src/server/pages/openapi.ts',
      'src/server/pages/json-schemas.ts',
      'src/model/api/',
    ],
  },
  { tests: 'test/operations/image-installs', covers: ['Dockerfile', 'ci/image/', 'package-lock.json'] },
  {
    tests: 'test/system/cli/package',
    covers: ['package.json', 'ci/build.ts', 'bin/', 'tsconfig.build.json', 'src/index.ts', 'src/client.ts'],
  },
  {
    tests: 'test/system/cli/reextract',
    covers: [
      'src/cli/commands/reextract',
      'src/cli/actions/reextract',
      'src/pipeline/keep/',
      'src/roles/local/reextract',
    ],
  },
  {
    tests: 'test/system/scraper-tools',
    covers: [
      'src/cli/actions/scrapers-test.ts',
      'src/cli/commands/scrapers.ts',
      'src/roles/scrapers/',
      'docs/testing-scrapers.md',
    ],
  },
  { tests: 'test/system/cluster/from-zero', covers: ['deploy/kubernetes/base/', 'src/roles/cluster/'] },
  { tests: 'test/system/cli/completion', covers: ['src/cli/actions/completion.ts'] },
  { tests: 'test/system/cli/examples', covers: ['examples/', 'src/cli/'] },
  { tests: 'test/drop-in/firecrawl-tools', covers: ['src/server/api/firecrawl/'] },
  { tests: 'test/drop-in/browser-examples', covers: ['src/server/api/browsers/', 'src/fetch/browser/lent/'] },
  { tests: 'test/drop-in/mcp-inspector', covers: ['src/server/api/mcp/', 'src/cli/actions/mcp.ts'] },
  { tests: 'test/system/cluster/cluster-mcp', covers: ['src/server/api/mcp/'] },
  {
    tests: 'test/drop-in/replaywebpage',
    covers: [
      'src/results/archives/',
      'src/results/exports/w',
      'src/results/warc',
      'src/server/pages/archive-viewer.ts',
    ],
  },
  {
    tests: 'test/system/browser-connections',
    covers: ['src/server/api/browsers/', 'src/fetch/browser/lent/'],
  },
  {
    tests: 'test/system/cluster/cluster-browsers',
    covers: ['src/server/api/browsers/', 'src/fetch/browser/lent/'],
  },
  {
    tests: 'test/system/playwright-driver',
    covers: ['src/fetch/browser/playwright/', 'src/fetch/browser/driver.ts'],
  },
]

export interface Nightly {
  files: string[]
  /** Says why the other nightly files do not run. */
  why: string
}

export function nightlyToRun(root: string, all: readonly string[]): Nightly {
  const changed = changedSinceMain(root)
  if (changed === null)
    return { files: [], why: 'no merge base with main to compare with. `make test-all` runs them.' }
  const files = coveringChanges(all, changed, nightlyTable)
  return {
    files,
    why: 'the code they cover has not changed since the merge base with main. `make test-all` runs them.',
  }
}

export function coveringChanges(
  all: readonly string[],
  changed: readonly string[],
  table: readonly Row[],
): string[] {
  const hasChanged = (start: string) => changed.some(path => path.startsWith(start))
  return all.filter(
    file =>
      file.endsWith('.nightly.test.ts') &&
      (hasChanged(file) ||
        table.some(({ tests, covers }) => file.startsWith(tests) && covers.some(hasChanged))),
  )
}

/** Paths that differ from the merge base with main, also uncommitted ones. Null without a merge base, as in a shallow clone. */
export function changedSinceMain(root: string): string[] | null {
  const base = ['main', 'origin/main'].map(name => git(root, 'merge-base', 'HEAD', name)).find(Boolean)
  if (base === undefined) return null
  const differing = git(root, 'diff', '--name-only', '--no-renames', base.trim()) ?? ''
  const untracked = git(root, 'ls-files', '--others', '--exclude-standard') ?? ''
  return `${differing}\n${untracked}`.split('\n').filter(Boolean)
}

function git(root: string, ...args: string[]): string | undefined {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return undefined
  }
}
