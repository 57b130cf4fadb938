// Tests the log levels of components.
import assert from 'node:assert/strict'
import test from 'node:test'
import { Redactor } from '../lib/secrets/redactor.ts'
import { openLog } from './logging.ts'

function logging(level: string) {
  const lines: Array<Record<string, unknown>> = []
  const log = openLog({ level, secrets: new Redactor(), write: line => void lines.push(JSON.parse(line)) })
  return { log, said: () => lines.map(({ component, message }) => `${component}: ${message}`) }
}

test('a component logs at its own level, and so do its child loggers', () => {
  const { log, said } = logging('warn,fetch=debug,api=silent')
  for (const component of ['fetch', 'api', 'jobs']) {
    const own = log.child({ component })
    own.debug({}, 'debug')
    own.child({ request_id: 'r' }).info({}, 'info')
    own.error({}, 'error')
  }
  log.info({}, 'info')
  log.warn({}, 'warn')
  assert.deepEqual(said(), ['fetch: debug', 'fetch: info', 'fetch: error', 'jobs: error', 'null: warn'])
})
