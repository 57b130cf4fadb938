// The action of kscrape serve: starts the service, prints its URL, and stops it on a signal.
import { type Loaded, loadSettings } from '../../config/load.ts'
import { proxySecrets } from '../../config/operator-proxies.ts'
import type { Settings } from '../../config/settings.ts'
import { Redactor } from '../../lib/secrets/redactor.ts'
import { openLog } from '../../observe/logging.ts'
import { otlpSecrets } from '../../observe/tracing.ts'
import { openService, type Service } from '../../roles/service/service.ts'
import { exitCodes } from '../exit-codes.ts'
import { showFirstKey } from '../first-key.ts'

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
  const loaded = await settingsOf(demo ? { ...flags, ...demo.flags } : flags)
  const { settings } = loaded
  const lines = new LateLines()
  const log = openLog({
    level: flags.quiet ? 'error' : settings.logLevel,
    secrets: secretsOf(settings),
    isForPeople: Boolean(process.stdout.isTTY) && !flags.json,
    write: line => void lines.write(line),
  })
  await using service = await openService(loaded, { log, command: 'serve', isDemo: demo !== null }).catch(
    error => {
      lines.release()
      throw error
    },
  )
  // Handle signals before the greeting is printed, so that a signal can always stop the service.
  using _signals = stopOnSignals(service)
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

async function settingsOf({ host, port, dataDir, allowPrivate }: ServeFlags): Promise<Loaded> {
  return loadSettings({
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
    ...(dataDir !== undefined && { dataDir }),
    ...(allowPrivate !== undefined && { allowPrivate }),
  })
}

function secretsOf(settings: Settings): Redactor {
  const { apiKey, serviceKey, webhookSecret, llmApiKey, credentialsKey } = settings
  const { opensearchPassword, opensearchApiKey } = settings
  const secrets = new Redactor()
  for (const secret of [
    ...[apiKey, serviceKey, ...(webhookSecret ?? []), llmApiKey, credentialsKey],
    ...[settings.smtpUrl && decodeURIComponent(new URL(settings.smtpUrl).password)],
    ...[opensearchPassword, opensearchApiKey, ...proxySecrets(settings), ...otlpSecrets(settings)],
  ])
    if (secret) secrets.add(secret)
  return secrets
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

/** The first signal stops the service gracefully; the second one stops it at once. */
function stopOnSignals(service: Service): Disposable {
  let isStopping = false
  const onSignal = () => {
    if (isStopping) process.exit(exitCodes.interrupted)
    isStopping = true
    service.stop()
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return {
    [Symbol.dispose]() {
      process.off('SIGINT', onSignal)
      process.off('SIGTERM', onSignal)
    },
  }
}
