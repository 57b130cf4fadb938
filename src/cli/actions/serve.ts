// The action of kscrape serve: starts the service, prints its URL, and stops it on a signal.
import { loadSettings } from '../../config/load.ts'
import type { Settings } from '../../config/settings.ts'
import { openService, type Service } from '../../roles/service/service.ts'
import { showFirstKey } from '../first-key.ts'
import { openServiceLog, stopOnSignals } from '../service-process.ts'

interface ServeFlags {
  demo?: boolean
  host?: string
  port?: number
  dataDir?: string
  allowPrivate?: string[]
  json?: boolean
  quiet?: boolean
}

export async function serve(flags: ServeFlags): Promise<void> {
  await using demo = flags.demo ? await (await import('./serve-demo.ts')).openDemo(flags) : null
  const { host, port, dataDir, allowPrivate } = { ...flags, ...demo?.flags }
  const loaded = await loadSettings({ host, port, dataDir, allowPrivate })
  const { settings } = loaded
  const lines = new LateLines()
  const log = openServiceLog(settings, flags, line => lines.write(line))
  await using service = await openService(loaded, { log, command: 'serve', isDemo: demo !== null }).catch(
    error => {
      lines.release()
      throw error
    },
  )
  // Handle signals before the greeting is printed, so that a signal can always stop the service.
  using _signals = stopOnSignals(() => service.stop())
  greet(service, flags, settings)
  demo?.greet(service.url)
  lines.release()
  await service.done
}

/** Buffers log lines until the address and the key are printed. */
class LateLines {
  #held: string[] | null = []

  write(line: string): void {
    if (this.#held) this.#held.push(line)
    else process.stdout.write(line)
  }

  release(): void {
    const held = this.#held ?? []
    this.#held = null
    for (const line of held) process.stdout.write(line)
  }
}

/** Prints the greeting to stderr, because stdout has the log. */
function greet({ url, firstKey }: Service, flags: ServeFlags, { dataDir }: Settings): void {
  const say = (line: string) => void process.stderr.write(`${line}\n`)
  const key = firstKey === null ? null : showFirstKey(firstKey, dataDir)
  if (flags.json) {
    say(JSON.stringify({ level: 'info', url, dashboard: `${url}/`, docs: `${url}/docs`, ...key?.facts }))
    return
  }
  say(`dashboard: ${url}/`)
  say(`docs:      ${url}/docs`)
  say(`kscrape listens on ${url}`)
  // Empty lines separate the key from the log on the same terminal.
  if (key) say(`\n${key.line}\n`)
}
