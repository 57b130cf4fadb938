// Property 39: no credential, token or personal data reaches the log or the metrics.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { FakeClock } from '../../src/lib/clocks.ts'
import { Redactor } from '../../src/lib/secrets/redactor.ts'
import type { Events } from '../../src/model/events.ts'
import { Failure } from '../../src/model/failures.ts'
import { openLog } from '../../src/observe/logging.ts'
import { ServiceMetrics } from '../../src/observe/metrics/service-metrics.ts'
import { telemetry } from '../../src/observe/telemetry.ts'

function listening(known: string[] = []) {
  const lines: string[] = []
  const secrets = new Redactor()
  for (const secret of known) secrets.add(secret)
  const log = openLog({ level: 'debug', secrets, write: line => void lines.push(line) })
  return { log, text: () => lines.join('') }
}

/** The secrets are long and unusual, so that no line contains one by chance. */
const secret = fc.stringMatching(/^Zq[A-Za-z0-9]{10,20}$/)
const sensitiveName = fc.constantFrom(
  ...['password', 'token', 'access_token', 'api_key', 'apiKey', 'secret', 'Authorization', 'auth', 'cookie'],
  ...['session', 'sessionid', 'client_secret', 'csrf_token', 'signature', 'credentials', 'X-Service-Key'],
)

describe('property 39', () => {
  test('log values are redacted by the name of their field, at any depth', () => {
    fc.assert(
      fc.property(sensitiveName, secret, fc.nat(3), (name, value, depth) => {
        const here = listening()
        let fields: Record<string, unknown> = { [name]: value, list: [{ [name]: [value] }] }
        for (let level = 0; level < depth; level += 1) fields = { inner: fields }
        here.log.info(fields, 'something happened')
        assert.ok(!here.text().includes(value))
        assert.ok(here.text().includes('REDACTED'))
      }),
    )
  })

  test('known secrets are redacted everywhere in the log, in every encoding', () => {
    fc.assert(
      fc.property(secret, fc.constantFrom('message', 'url', 'note', 'err'), (value, place) => {
        const here = listening([value])
        const text = `it was ${value}, ${encodeURIComponent(value)} and ${Buffer.from(value).toString('base64')}`
        if (place === 'err') here.log.error({ err: new Failure('input.invalid', text) }, text)
        else if (place === 'message') here.log.info({}, text)
        else here.log.info({ [place]: text }, 'said')
        assert.ok(!here.text().includes(value))
        assert.ok(!here.text().includes(Buffer.from(value).toString('base64')))
      }),
    )
  })

  test('names and passwords in URLs, and sensitive query values, are redacted', () => {
    fc.assert(
      fc.property(
        secret,
        sensitiveName,
        fc.constantFrom('http', 'https', 'socks5'),
        (value, name, scheme) => {
          const here = listening()
          const url = `${scheme}://user:${value}@host.example/a?page=2&${encodeURIComponent(name)}=${value}#${name}=${value}`
          here.log.info(
            { target_url: url, other: `see ${url}`, err: new Error(`at ${url}`) },
            `went to ${url}`,
          )
          assert.ok(!here.text().includes(value), here.text())
          assert.ok(here.text().includes('page=2'), 'harmless values stay')
        },
      ),
    )
  })

  test('personal data in the text of pages and users is masked in the log', () => {
    const user = fc.stringMatching(/^[a-z]{4,10}\.[a-z]{4,10}$/)
    fc.assert(
      fc.property(user, name => {
        const here = listening()
        const mail = `${name}@mail.example.org`
        here.log.error(
          { error_reason: `no answer from ${mail}`, target_url: `https://a.example/?m=${mail}` },
          `mail to ${mail}`,
        )
        assert.ok(!here.text().includes(mail), here.text())
      }),
    )
  })

  test('the log line of a task, and the metrics, contain no secret', async () => {
    await fc.assert(
      fc.asyncProperty(secret, fc.constantFrom('failed', 'succeeded', 'skipped'), async (value, state) => {
        const here = listening()
        const metrics = new ServiceMetrics(async () => ({
          queueDepth: 0,
          jobs: 0,
          inFlight: 0,
          activeBrowsers: 0,
        }))
        const hear = telemetry({
          ...{ log: here.log, metrics, clock: new FakeClock(), job: async () => null },
        })
        const event: Events['task.settled'] = {
          ...{ jobId: 'j', n: 1, state, reason: 'http.client-error', durationMs: 1, attempt: 1 },
          url: `https://me:${value}@host.example/?token=${value}`,
          message: `https://host.example/?access_token=${value} answered 403`,
          proxy: `user:${value}@proxy.example:8080`,
          records: [{ data: JSON.stringify({ password: value }) } as never],
        }
        hear('task.settled', event)
        const { body } = await metrics.text()
        const told = [here.text(), body, JSON.stringify(await metrics.json())].join('\n')
        assert.ok(!told.includes(value), told)
      }),
      { numRuns: 20 },
    )
  })
})
