// The operations API: workers, browsers and settings of the service.
import * as z from 'zod'
import { describeSettings, type SettingInfo, type Settings } from '../../config/settings.ts'
import { cutMark } from '../../lib/secrets/secret-forms.ts'
import { setting, workers } from '../../model/api/operations.ts'
import type { BrowserPool } from '../../model/events.ts'
import { snake } from '../../model/letter-case.ts'
import type { App, RouteGroup } from '../app.ts'
import { isoTime } from '../http/responses.ts'
import { keepToOperators } from '../operators-only.ts'
import type { Server } from '../parts.ts'

export const operationsApi: RouteGroup = {
  name: 'operations',
  about:
    'Workers, browsers and settings of the service. This API needs the scope `admin`, and a key of the workspace `default`.',
  addRoutes(app, server) {
    keepToOperators(app)
    addWorkers(app, server)
    addSettings(app, server)
  },
}

function addWorkers(app: App, { parts }: Server): void {
  app.get(
    '/workers',
    {
      config: { scope: 'admin' },
      schema: { summary: 'List workers and browsers: state, memory, age, pages', response: { 200: workers } },
    },
    async () => {
      const { workers, browserPool } = parts.fleet()
      const { seats: _seats, ...pool } = browserPool ?? { seats: [] }
      const { version, uptimeSeconds, queue } = await parts.health.report()
      return {
        ...{
          version,
          uptimeSeconds,
          queueDepth: queue.queueDepth,
          readiness: await parts.health.readiness(),
        },
        workers: workers.map(({ name, role, concurrency, held, memoryBytes, startedAt }) => ({
          ...{ name, role, concurrency, inFlight: held, memoryBytes: memoryBytes ?? null },
          startedAt: startedAt === undefined ? null : isoTime(startedAt),
        })),
        browserPool: browserPool && {
          ...(pool as Omit<BrowserPool, 'seats'>),
          browsers: browserPool.browsers.map(({ worker = null, startedAt, ...one }) => ({
            ...{ worker, startedAt: isoTime(startedAt) },
            ...one,
          })),
        },
      }
    },
  )
}

function addSettings(app: App, { settings }: Server): void {
  app.get(
    '/settings',
    {
      config: { scope: 'admin' },
      schema: {
        summary: 'Get the effective settings',
        response: { 200: z.object({ settings: z.array(setting) }) },
      },
    },
    async () => ({ settings: describeSettings().map(info => shownSetting(info, settings)) }),
  )
}

function shownSetting({ name, env, about, fallback }: SettingInfo, settings: Settings) {
  const value = settings[name]
  return {
    ...{ name: snake(name), env, about },
    value: safeValue(name, value),
    defaultValue: fallback ?? null,
    isDefault: JSON.stringify(value) === JSON.stringify(fallback),
  }
}

/** Whether the value of a setting is secret. The path of a file with secrets is not secret. */
const isSecret = (name: string): boolean => /(key|secret|token|password|zone|header)s?$/i.test(name)

function safeValue(name: string, value: unknown): unknown {
  if (value === undefined) return null
  if (isSecret(name)) return cutMark
  if (Array.isArray(value)) return value.map(each => safeValue(name, each))
  return typeof value === 'string' ? value.replace(/\/\/\S*@/g, `//${cutMark}@`) : value
}
