// The alerts as a manifest for the Prometheus operator, made from deploy/prometheus/rules.yaml, which promtool tests.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'

const source = 'deploy/prometheus/rules.yaml'

export function alertsManifest(): string {
  const { groups } = parse(readFileSync(join(import.meta.dirname, '..', source), 'utf8')) as {
    groups: unknown
  }
  const manifest = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'kscrape' },
    spec: { groups },
  }
  return `# Made from ${source} by \`npm run docs\`.\n${stringify(manifest, { lineWidth: 0 })}`
}
