// Tests the monitoring of the compose cluster: metrics, logs and traces have their data sources, with links between them.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { Redactor } from '../../src/lib/secrets/redactor.ts'
import { openLog } from '../../src/observe/logging.ts'
import { root } from './rendered.ts'

const text = (path: string): string => readFileSync(join(root, path), 'utf8')

interface Link {
  datasourceUid: string
}

interface DataSource {
  uid: string
  url: string
  jsonData: {
    exemplarTraceIdDestinations?: Link[]
    derivedFields?: Array<Link & { matcherRegex: string }>
    tracesToLogsV2?: Link & { query: string }
  }
}

const { datasources } = parse(text('deploy/grafana/provisioning/datasources/kscrape.yaml')) as {
  datasources: DataSource[]
}
const { services } = parse(text('compose.cluster.yaml'), { merge: true }) as {
  services: Record<string, { image: string; command?: string[]; environment?: Record<string, string> }>
}
const source = (uid: string): DataSource => datasources.find(one => one.uid === uid)!
const toTrace = () => source('loki').jsonData.derivedFields![0]!
const toLogs = () => source('tempo').jsonData.tracesToLogsV2!

test('every data source of Grafana is a service of the compose file, and every link leads to a data source', () => {
  for (const { url } of datasources) assert.ok(new URL(url).hostname in services, url)
  const links = [...JSON.stringify(datasources).matchAll(/"datasourceUid":"(\w+)"/g)].map(([, uid]) => uid!)
  for (const uid of links) assert.ok(source(uid), uid)
  assert.equal(source('prometheus').jsonData.exemplarTraceIdDestinations?.[0]?.datasourceUid, 'tempo')
  assert.equal(toTrace().datasourceUid, 'tempo')
  assert.equal(toLogs().datasourceUid, 'loki')
})

test('the link from logs to traces finds the trace id in a log line of kscrape', () => {
  let line = ''
  const log = openLog({ level: 'info', secrets: new Redactor(), write: text => (line = text) })
  const trace_id = '4bf92f3577b34da6a3ce929d0e0e4736'
  log.info({ trace_id }, 'a job was accepted')
  assert.equal(new RegExp(toTrace().matcherRegex).exec(line)?.[1], trace_id)
  assert.match(toLogs().query, /\| json \| trace_id=/)
})

test('every role sends its traces to Tempo’s address', () => {
  const tempo = parse(text('deploy/tempo/tempo.yaml'))
  const { endpoint } = tempo.distributor.receivers.otlp.protocols.http
  for (const [name, { image, environment }] of Object.entries(services))
    if (image.startsWith('kscrape')) {
      const { hostname, port } = new URL(environment!.OTEL_EXPORTER_OTLP_ENDPOINT!)
      assert.deepEqual([hostname, port], ['tempo', endpoint.split(':').at(-1)], name)
    }
  assert.equal(new URL(source('tempo').url).port, String(tempo.server.http_listen_port))
  assert.ok(services.prometheus?.command?.includes('--enable-feature=exemplar-storage'))
})
