// kscrape serve --demo: runs the demo site and a service with a temporary store.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DemoSite, startDemoSite } from '../../demo-site/index.ts'

export interface DemoFlags {
  port?: number
  host?: string
  dataDir?: string
  allowPrivate?: string[]
}

export interface Demo extends AsyncDisposable {
  /** Flags to start the service with. */
  flags: DemoFlags
  greet(url: string): void
}

const demoPort = 8000
/** The port of the demo site that the scraper `example-http` requests by default. */
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
      process.stderr.write(`try:     ${tryIt(url, site)}\n`)
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** A command that the user can try. If the site does not use the default port, the input of `example-http` must name the
 *  site. */
const tryIt = (url: string, site: DemoSite): string => {
  const base = site.port === sitePort ? '' : `, "base_url": "${site.url}"`
  return `curl -X POST ${url}/jobs -H 'Content-Type: application/json' -d '{"scraper_id": "example-http", "items": [{"input": {"test_param": "hello"${base}}}]}'`
}

/** Starts the demo site. If its port is in use, as 8080 often is, the site takes another port. */
async function siteHere(): Promise<DemoSite> {
  try {
    return await startDemoSite({ port: sitePort })
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException
    if (code !== 'EADDRINUSE') throw error
    const site = await startDemoSite({ port: 0 })
    process.stderr.write(
      `warning: port ${sitePort} is in use, so the demo site is at ${site.url}; to use it, set base_url to this URL in jobs of example-http\n`,
    )
    return site
  }
}
