// All queries to Prometheus: the panels of the dashboards, and the rules of the alerts.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { dashboards } from '../../ci/grafana.ts'
import { root } from './rendered.ts'

export interface Rule {
  alert?: string
  record?: string
  expr: string
  annotations?: { runbook: string }
}

const groups = parse(readFileSync(join(root, 'deploy/prometheus/rules.yaml'), 'utf8')) as {
  groups: Array<{ rules: Rule[] }>
}

export const rules = groups.groups.flatMap(group => group.rules)

/** The name of the panel or rule, and its query. */
export const queries: Array<[where: string, query: string]> = [
  ...dashboards.flatMap(({ title, panels }) =>
    panels.map(panel => [`${title}, ${panel.title}`, panel.query] as [string, string]),
  ),
  ...rules.map(({ alert, record, expr }) => [alert ?? record!, expr] as [string, string]),
]
