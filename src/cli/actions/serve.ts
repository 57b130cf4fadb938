// The action of kscrape serve: starts the service, prints its URL, and stops it on a signal.
import { type Loaded, loadSettings } from '../../config/load.ts'
import { proxySecrets } from '../../config/operator-proxies.ts'
import type { Settings } from '../../config/settings.ts'
import { Redactor } from '../../lib/secrets/redactor.ts'
import { openLog } from '../../observe/logging.ts'
import { otlpSecrets } from '../../observe/tracing.ts'
import { openService, type Service } from '../../roles/service.ts'
import { exitCodes } from '../exit-codes.ts'
import { showFirstKey } from '../first-key.ts'
import { openDemo } from './serve-demo.ts'

export interface ServeFlags {
  demo?: boolean
  host?: string
  port?: number
  dataDir?: string
  allowPrivate?: string[]
  json?: boolean
  quiet?: boolean
}

export async function serve(flags: ServeFlags): Promise<void> {
  await using demo = flags.demo ? await openDemo(flags) : null
  const loaded = await settingsOf(demo ? { ...flags, ...demo.flags } : flags)
  const { settings } = loaded
  const log = openLog({
    level: flags.quiet ? 'error' : settings.logLevel,
    secrets: secretsOf(settings),
    isForPeople: Boolean(process.stdout.isTTY) && !flags.json,
    write: line => void process.stdout.write(line),
  })
  await using service = await openService(loaded, { log, command: 'serve', isDemo: demo !== null })
  // Before the greeting, so that a signal can always stop the service.
  using _signals = stopOnSignals(service)
  greet(service, flags, settings)
  demo?.greet(service.url)
  await service.done
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

/** To stderr, because stdout has the log. */
function greet({ url, firstKey }: Service, flags: ServeFlags, { dataDir }: Settings): void {
  const say = (line: string) => void process.stderr.write(`${line}\n`)
  const key = firstKey === null ? null : showFirstKey(firstKey, dataDir)
  if (flags.json) {
    say(JSON.stringify({ level: 'info', url, docs: `${url}/docs`, ...key?.facts }))
    return
  }
  say(`kscrape listens on ${url}`)
  say(`docs:    ${url}/docs`)
  if (key) say(key.line)
}

/** The first signal stops gracefully, the second one at once. */
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
