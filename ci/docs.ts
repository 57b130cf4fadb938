// Writes the documents that are made from the code: npm run docs
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { alertsManifest } from './alert-rules.ts'
import { dashboards, grafanaJson } from './grafana.ts'
import { metricsPage } from './metrics-docs.ts'
import { environmentExample, settingsPage } from './settings-docs.ts'

const root = join(import.meta.dirname, '..')

writeFileSync(join(root, 'docs/settings.md'), settingsPage())
writeFileSync(join(root, '.env.example'), environmentExample())
writeFileSync(join(root, 'docs/metrics.md'), await metricsPage())
writeFileSync(join(root, 'deploy/kubernetes/monitoring/rules.yaml'), alertsManifest())
for (const dashboard of dashboards)
  writeFileSync(join(root, `deploy/grafana/dashboards/${dashboard.uid}.json`), grafanaJson(dashboard))
