// kscrape serve --demo: runs the demo site and a temporary store besides the service.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDemoSite } from '../../demo-site/index.ts'
import { Failure } from '../../model/failures.ts'

export interface DemoFlags {
  port?: number
  host?: string
  dataDir?: string
  allowPrivate?: string[]
}

export interface Demo extends AsyncDisposable {
  /** Flags for the service. */
  flags: DemoFlags
  greet(url: string): void
}

const demoPort = 8000
/** The port that the scraper `example-http` uses. */
const sitePort = 8080

export async function openDemo({
  port = demoPort,
  host = '127.0.0.1',
  dataDir,
  allowPrivate = [],
}: DemoFlags): Promise<Demo> {
  await using opened = new AsyncDisposableStack()
  const site = opened.use(await siteHere())
  const folder = dataDir ?? (await mkdtemp(join(tmpdir(), 'kscrape-demo-')))
  if (dataDir === undefined) opened.defer(() => rm(folder, { recursive: true, force: true }))
  const owned = opened.move()
  return {
    flags: { port, host, dataDir: folder, allowPrivate: [...allowPrivate, `${site.host}:${site.port}`] },
    greet: url => {
      process.stderr.write(`demo:    no key is needed; the demo site is at ${site.url}/\n`)
      process.stderr.write(`try:     ${tryIt(url)}\n`)
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

const tryIt = (url: string): string =>
  `curl -X POST ${url}/jobs -H 'Content-Type: application/json' -d '{"scraper_id": "example-http", "items": [{"input": {"test_param": "hello"}}]}'`

async function siteHere() {
  try {
    return await startDemoSite({ port: sitePort })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new Failure(
      'input.invalid',
      `port ${sitePort} is in use, but the demo site needs it; stop the process on that port, perhaps kscrape demo-site`,
      {},
      { cause: error },
    )
  }
}
