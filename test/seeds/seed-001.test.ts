// Seed 001 (an earlier specification of K-Scrape Nexus on Kubernetes): tests its requirements on files, scaling, networks and
// logs.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Redactor } from '../../src/lib/secrets/redactor.ts'
import { openLog } from '../../src/observe/logging.ts'
import { type Manifest, rendered, root } from '../operations/rendered.ts'

const production = rendered('deploy/kubernetes/overlays/production')
const named = (kind: string, name: string): Manifest =>
  production.find(manifest => manifest.kind === kind && manifest.metadata.name === name)!

/** The manifests and scripts that the seed lists, and their paths in this repository. */
const files: Record<string, string> = {
  '.gitignore': '.gitignore',
  'README.md': 'README.md',
  'ci/build-images.sh': 'ci/build-images.sh',
  'docs/product_design.md': 'docs/product_design.md',
  ...placesOf('api-server', 'api', ['deployment', 'service', 'networkpolicy', 'hpa']),
  ...placesOf('ingestion-service', 'ingest', ['deployment', 'networkpolicy', 'scaledobject']),
  ...placesOf('scraper-http-worker', 'http-worker', ['deployment', 'networkpolicy', 'scaledobject']),
  ...placesOf('scraper-headless-worker', 'browser-worker', ['deployment', 'networkpolicy', 'scaledobject']),
  ...placesOf('processing-worker', 'processor', ['deployment', 'networkpolicy', 'scaledobject']),
  ...placesOf('coordinator', 'coordinator', ['deployment', 'service']),
  ...placesOf('shared', 'shared', ['namespace', 'configmap']),
  'kubernetes/base/shared/secrets.sops.yaml': 'deploy/kubernetes/secrets/secrets.sops.yaml',
  'kubernetes/base/kustomization.yaml': 'deploy/kubernetes/base/kustomization.yaml',
  ...overlayFiles('staging'),
  ...overlayFiles('production'),
}

function placesOf(theirs: string, ours: string, names: string[]): Record<string, string> {
  const place = (name: string) => [
    `kubernetes/base/${theirs}/${name}.yaml`,
    `deploy/kubernetes/base/${ours}/${name}.yaml`,
  ]
  return Object.fromEntries(names.map(place))
}

function overlayFiles(name: string): Record<string, string> {
  const own = ['configmap-patch.yaml', 'kustomization.yaml', 'resource-limits-patch.yaml']
  return Object.fromEntries(
    own.map(file => [`kubernetes/overlays/${name}/${file}`, `deploy/kubernetes/overlays/${name}/${file}`]),
  )
}

test('every manifest and script that the seed lists exists', () => {
  const missing = Object.entries(files).filter(([, ours]) => !existsSync(join(root, ours)))
  assert.deepEqual(missing, [])
})

test('every manifest begins with a comment that says what it is for', () => {
  const folder = join(root, 'deploy/kubernetes')
  const bare = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    // The encrypted file is left out, because SOPS writes it without comments.
    name => /(?<!\.sops)\.yaml$/.test(name) && !readFileSync(join(folder, name), 'utf8').startsWith('# '),
  )
  assert.deepEqual(bare, [])
})

interface Trigger {
  metadata: { query: string; threshold: string }
}

/** The number of pods that KEDA requests for this much runnable work. */
function replicasAt(role: string, runnable: number): number {
  const { triggers, maxReplicaCount } = named('ScaledObject', role).spec as {
    triggers: Trigger[]
    maxReplicaCount: number
  }
  return Math.min(maxReplicaCount, Math.ceil(runnable / Number(triggers[0]!.metadata.threshold)))
}

test('with 100,000 runnable tasks, production starts hundreds of workers; with one polite host, it starts one', () => {
  assert.equal(replicasAt('http-worker', 100_000), 200)
  assert.ok(replicasAt('http-worker', 100_000) + replicasAt('processor', 100_000) > 200)
  for (const role of ['http-worker', 'browser-worker', 'processor']) assert.equal(replicasAt(role, 61), 1)
  for (const role of ['http-worker', 'browser-worker', 'processor', 'ingest'])
    assert.equal(replicasAt(role, 0), 0)
})

test('KEDA starts all needed pods at once, and no pod if there is no work', () => {
  for (const role of ['http-worker', 'browser-worker', 'processor', 'ingest']) {
    const { minReplicaCount, maxReplicaCount, advanced } = named('ScaledObject', role).spec
    const { scaleUp } = advanced.horizontalPodAutoscalerConfig.behavior
    assert.equal(minReplicaCount, 0)
    assert.equal(scaleUp.stabilizationWindowSeconds, 0)
    assert.ok(scaleUp.policies[0].value >= maxReplicaCount, role)
  }
})

test('an HTTP worker reaches the internet and the data stores, but not the API; only monitoring reaches the worker', () => {
  const selects = (policy: Manifest, role: string): boolean => {
    const { matchLabels, matchExpressions = [] } = policy.spec.podSelector
    const component = 'app.kubernetes.io/component'
    if (matchLabels) return matchLabels[component] === role
    return matchExpressions.every(
      ({ key, values }: { key: string; values: string[] }) => key !== component || values.includes(role),
    )
  }
  const own = production.filter(
    manifest => manifest.kind === 'NetworkPolicy' && selects(manifest, 'http-worker'),
  )
  type Rule = { to?: Peer[]; from?: Peer[] }
  type Peer = {
    podSelector?: { matchLabels?: Record<string, string> }
    namespaceSelector?: { matchLabels: Record<string, string> }
  }
  const peers = (side: 'ingress' | 'egress'): Peer[] =>
    own.flatMap(({ spec }) => ((spec[side] ?? []) as Rule[]).flatMap(rule => rule.to ?? rule.from ?? []))
  assert.deepEqual(
    peers('ingress').map(peer => peer.namespaceSelector?.matchLabels['kubernetes.io/metadata.name']),
    ['monitoring'],
  )
  for (const { podSelector } of peers('egress'))
    assert.notEqual(podSelector?.matchLabels?.['app.kubernetes.io/component'], 'api')
  assert.ok(own.some(({ metadata }) => metadata.name === 'deny-by-default'))
})

test('every service that needs the database runs the migration in an initContainer first', () => {
  for (const { kind, spec, metadata } of production)
    if (kind === 'Deployment')
      assert.deepEqual(
        spec.template.spec.initContainers.map(({ args }: { args: string[] }) => args[0]),
        ['migrate'],
        metadata.name,
      )
})

test('error logs of one role can be found by labels, because lines are JSON and the collector labels role and level', () => {
  let line = ''
  const log = openLog({ level: 'info', secrets: new Redactor(), write: text => (line = text) })
  log.error({}, 'the store does not answer')
  assert.equal((JSON.parse(line) as { level: string }).level, 'error')
  const lines = readFileSync(join(root, 'deploy/loki/lines.alloy'), 'utf8')
  assert.match(lines, /stage\.labels \{\s+values = \{ level = ""/)
  assert.match(readFileSync(join(root, 'deploy/loki/kubernetes.alloy'), 'utf8'), /target_label\s+= "role"/)
})

test('the API scales on CPU and memory, from at least two pods', () => {
  const { spec } = named('HorizontalPodAutoscaler', 'api')
  assert.ok(spec.minReplicas >= 2)
  assert.deepEqual(
    spec.metrics.map(({ resource }: { resource: { name: string } }) => resource.name),
    ['cpu', 'memory'],
  )
})
