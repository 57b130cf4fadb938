// The actions of kscrape start and kscrape migrate.
import { loadSettings } from '../../config/load.ts'
import type { Settings } from '../../config/settings.ts'
import { rolesNamed } from '../../roles/cluster/roles.ts'
import { migrateStore, type RunningRoles, startRoles } from '../../roles/cluster/run-roles.ts'
import { exitCodes } from '../exit-codes.ts'
import { showFirstKey } from '../first-key.ts'
import { openServiceLog, stopOnSignals } from '../service-process.ts'

interface StartFlags {
  concurrency?: number
  port?: number
  shards?: number
  host?: string
  allowPrivate?: string[]
  json?: boolean
  quiet?: boolean
}

export async function start(names: string[], flags: StartFlags): Promise<void> {
  rolesNamed(names)
  const { concurrency, port, shards, host, allowPrivate } = flags
  const loaded = await loadSettings({ concurrency, port, shards, host, allowPrivate })
  const wanted = rolesNamed(names, { hasQueue: loaded.settings.sqsQueueUrl !== undefined })
  const log = openServiceLog(loaded.settings, flags)
  const asked = Promise.withResolvers<void>()
  using _signals = stopOnSignals(() => asked.resolve())
  const running = await startRoles(loaded, wanted, log)
  try {
    greet(running, flags, loaded.settings)
    await asked.promise
  } finally {
    const late = 'the cleanup did not finish in time; other processes will complete it'
    await stop(running, loaded.settings.graceMs, () => log.warn({}, late))
  }
}

async function stop(running: RunningRoles, graceMs: number, onLate: () => void): Promise<void> {
  const late = leaveAfter(graceMs + closeMs, onLate)
  try {
    await running[Symbol.asyncDispose]()
  } finally {
    clearTimeout(late)
    leaveAfter(lingerMs).unref()
  }
}

/** Maximum duration of the rest of the shutdown, after the grace period. With the default grace period of 30 s, a
 *  process exits within 41 s of the signal, even if a dependency is down. */
const closeMs = 11_000
/** The process exits this long after its work has ended. Connections whose peer is gone would keep it alive. */
const lingerMs = 500

const leaveAfter = (ms: number, tell = () => {}): NodeJS.Timeout =>
  setTimeout(() => {
    tell()
    process.exit(process.exitCode ?? exitCodes.ok)
  }, ms)

/** Prints the greeting to stderr, because stdout has the log. */
function greet({ roles, healthPort }: RunningRoles, { json }: StartFlags, { dataDir }: Settings): void {
  const say = (line: string) => void process.stderr.write(`${line}\n`)
  const url = roles.values().find(role => role.url !== undefined)?.url
  const firstKey = roles.values().find(role => role.firstKey)?.firstKey
  const key = firstKey ? showFirstKey(firstKey, dataDir) : null
  if (json) {
    const more = {
      ...(url && { url }),
      ...key?.facts,
      ...(healthPort !== null && { health_port: healthPort }),
    }
    say(JSON.stringify({ level: 'info', ready: true, roles: [...roles.keys()], ...more }))
    return
  }
  say(`up: ${[...roles.keys()].join(', ')}`)
  if (url) say(`kscrape listens on ${url}`)
  if (key) say(key.line)
}

export async function migrate({ json }: { json?: boolean }): Promise<void> {
  const { settings } = await loadSettings()
  const { from, to } = await migrateStore(settings)
  if (json) process.stdout.write(`${JSON.stringify({ from, to })}\n`)
  else
    process.stdout.write(
      from === to ? `the tables already have version ${to}\n` : `version ${from} → ${to}\n`,
    )
}
