// What `kscrape serve` and `kscrape start` share: the log on stdout, and the signals that stop the process.
import { proxySecrets } from '../config/operator-proxies.ts'
import type { Settings } from '../config/settings.ts'
import { Redactor } from '../lib/secrets/redactor.ts'
import { decodePercent } from '../lib/text/percent-encoding.ts'
import { openLog } from '../observe/logging.ts'
import { otlpSecrets } from '../observe/tracing.ts'
import { exitCodes } from './exit-codes.ts'

interface LogFlags {
  json?: boolean
  quiet?: boolean
}

/** A log without the secrets of the settings. Writes lines for people if stdout is a terminal. */
export const openServiceLog = (
  settings: Settings,
  { json, quiet }: LogFlags,
  write: (line: string) => void = line => void process.stdout.write(line),
): ReturnType<typeof openLog> =>
  openLog({
    level: quiet ? 'error' : settings.logLevel,
    secrets: secretsOf(settings),
    isForPeople: Boolean(process.stdout.isTTY) && !json,
    write,
  })

function secretsOf(settings: Settings): Redactor {
  const { apiKey, serviceKey, webhookSecret, llmApiKey, credentialsKey, s3SecretAccessKey } = settings
  const { opensearchPassword, opensearchApiKey, databaseUrl, redisUrl, smtpUrl } = settings
  const secrets = new Redactor()
  for (const secret of [
    ...[apiKey, serviceKey, ...(webhookSecret ?? []), llmApiKey, credentialsKey, s3SecretAccessKey],
    ...[opensearchPassword, opensearchApiKey, ...proxySecrets(settings), ...otlpSecrets(settings)],
    ...[databaseUrl, redisUrl, smtpUrl].flatMap(passwordForms),
  ])
    if (secret) secrets.add(secret)
  return secrets
}

/** The password of a URL, as it is written and decoded. */
function passwordForms(url: string | undefined): string[] {
  const password = url && URL.parse(url)?.password
  return password ? [password, decodePercent(password)] : []
}

/** The first signal stops the process gracefully; the second one stops it at once. */
export function stopOnSignals(stop: () => void): Disposable {
  let isStopping = false
  const onSignal = () => {
    if (isStopping) process.exit(exitCodes.interrupted)
    isStopping = true
    stop()
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
