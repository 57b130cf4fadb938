// The manifests of Kubernetes and Argo: valid by the models of their kinds, and every pod as locked in as we say.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { describeSettings } from '../../src/config/settings.ts'
import { specialIpv4, specialIpv6 } from '../../src/fetch/http/addresses.ts'
import { streams } from '../../src/model/hand-over.ts'
import { roleNames } from '../../src/roles/cluster/roles.ts'
import { type Manifest, rendered, root, validate, written } from './rendered.ts'

const overlays = ['staging', 'production'] as const
const folders = ['cluster-autoscaler', 'node-setup', ...overlays.map(name => `overlays/${name}`)]
const byFolder = new Map(folders.map(folder => [folder, rendered(`deploy/kubernetes/${folder}`)]))
const argoFiles = ['staging.yaml', 'production.yaml', 'project.yaml']
const ofOverlay = (name: string): Manifest[] => byFolder.get(`overlays/${name}`)!

for (const [folder, manifests] of byFolder)
  test(`every manifest of ${folder} is what its kind asks for`, async () => {
    assert.ok(manifests.length > 0)
    for (const manifest of manifests)
      await assert.doesNotReject(validate(manifest), `${manifest.kind} ${manifest.metadata.name}`)
  })

test('a manifest with a field that its kind does not have is found', async () => {
  const [deployment] = ofOverlay('staging').filter(({ kind }) => kind === 'Deployment')
  const wrong = structuredClone(deployment!)
  wrong.spec.replica = 3
  await assert.rejects(validate(wrong), /Deployment has no field spec.replica$/)
})

test('the applications of Argo CD are valid, and follow overlays that are there', async () => {
  for (const file of argoFiles)
    for (const manifest of written(`deploy/argocd/${file}`)) await validate(manifest)
  for (const name of overlays) {
    const [application] = written(`deploy/argocd/${name}.yaml`)
    assert.equal(application!.spec.source.path, `deploy/kubernetes/overlays/${name}`)
  }
})

/** Deployments, DaemonSets and the pods of CronJobs. */
const podOf = ({ kind, spec }: Manifest) =>
  kind === 'CronJob'
    ? spec.jobTemplate.spec.template
    : ['Deployment', 'DaemonSet', 'StatefulSet', 'Job'].includes(kind)
      ? spec.template
      : null

for (const name of overlays)
  describe(`in ${name}`, () => {
    const manifests = ofOverlay(name)
    const pods = manifests.flatMap(manifest => {
      const pod = podOf(manifest)
      return pod ? [{ owner: manifest.metadata.name, labels: pod.metadata.labels, ...pod.spec }] : []
    })
    const deployments = manifests.filter(({ kind }) => kind === 'Deployment')
    const named = (kind: string) =>
      manifests.filter(manifest => manifest.kind === kind).map(({ metadata }) => metadata.name)

    test('every role of the program has a deployment, and each deployment starts its role', () => {
      assert.deepEqual(named('Deployment').sort(), [...roleNames].sort())
      for (const { metadata, spec } of deployments)
        assert.deepEqual(spec.template.spec.containers[0].args, ['start', metadata.name])
    })

    test('no pod has rights that it does not need', () => {
      for (const pod of pods) {
        assert.equal(pod.securityContext.runAsNonRoot, true, pod.owner)
        assert.equal(pod.automountServiceAccountToken, false, pod.owner)
        assert.ok(
          ['RuntimeDefault', 'Localhost'].includes(pod.securityContext.seccompProfile.type),
          pod.owner,
        )
        for (const flag of ['hostNetwork', 'hostPID', 'hostIPC'])
          assert.equal(pod[flag], undefined, pod.owner)
        assert.ok(!JSON.stringify(pod.volumes ?? []).includes('hostPath'), pod.owner)
        for (const container of [...(pod.initContainers ?? []), ...pod.containers]) {
          const { securityContext, resources, image } = container
          assert.equal(securityContext.allowPrivilegeEscalation, false, pod.owner)
          assert.equal(securityContext.readOnlyRootFilesystem, true, pod.owner)
          assert.equal(securityContext.privileged, undefined, pod.owner)
          assert.deepEqual(securityContext.capabilities, { drop: ['ALL'] }, pod.owner)
          assert.ok(resources.requests.cpu && resources.requests.memory && resources.limits.memory, pod.owner)
          assert.ok(!image.endsWith(':latest') && image.includes(':'), `${pod.owner}: ${image}`)
        }
      }
    })

    test('every role is looked after: probes, a stop with time, a budget, zones, its own account, migration', () => {
      for (const { metadata, spec } of deployments) {
        const { containers, initContainers, ...pod } = spec.template.spec
        for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
          assert.ok(containers[0][probe])
        assert.ok(pod.terminationGracePeriodSeconds >= 30)
        assert.ok(pod.topologySpreadConstraints.length > 0)
        assert.equal(pod.serviceAccountName, metadata.name)
        assert.deepEqual(initContainers[0].args.slice(0, 1), ['migrate'])
        assert.ok(named('PodDisruptionBudget').includes(metadata.name))
        assert.ok(named('PodMonitor').includes(metadata.name))
        assert.ok(named('NetworkPolicy').includes(metadata.name))
      }
      for (const account of manifests.filter(({ kind }) => kind === 'ServiceAccount'))
        assert.equal(account.automountServiceAccountToken, false)
    })

    test('nobody reaches anybody who is not named', () => {
      const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy')
      const deny = policies.find(({ metadata }) => metadata.name === 'deny-by-default')!
      assert.deepEqual(deny.spec, { podSelector: {}, policyTypes: ['Ingress', 'Egress'] })
      const blocks = policies.flatMap(({ spec }) =>
        (spec.egress ?? []).flatMap(
          (rule: { to?: Array<{ ipBlock?: { cidr: string; except?: string[] } }> }) =>
            (rule.to ?? []).flatMap(({ ipBlock }) => ipBlock ?? []),
        ),
      )
      for (const { cidr, except } of blocks) {
        if (cidr === '0.0.0.0/0') assert.deepEqual(except, specialIpv4)
        else if (cidr === '2000::/3') assert.deepEqual(except, specialIpv6)
        else assert.match(cidr, /^10\.0\.128\.0\/20$/)
      }
      assert.ok(blocks.some(({ cidr }) => cidr === '0.0.0.0/0'))
      for (const { spec } of policies) for (const rule of spec.egress ?? []) assert.ok(rule.to?.length > 0)
    })

    test('every role sends its traces to the collector, and may reach it', () => {
      const deployed = deployments.map(({ metadata }) => metadata.name).sort()
      const settings = manifests.find(
        ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'kscrape',
      )!
      const { hostname, port } = new URL(settings.data.OTEL_EXPORTER_OTLP_ENDPOINT)
      const common = manifests.find(
        ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'common',
      )!
      const { key, values } = common.spec.podSelector.matchExpressions[0]
      assert.deepEqual([key, [...values].sort()], ['app.kubernetes.io/component', deployed])
      const ways = common.spec.egress.filter((rule: { ports: Array<{ port: unknown }> }) =>
        rule.ports.some(way => way.port === Number(port)),
      )
      const [name, namespace] = hostname.split('.')
      assert.deepEqual(
        ways.map(({ to }: { to: unknown }) => to),
        [
          [
            {
              namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
              podSelector: { matchLabels: { 'app.kubernetes.io/name': name } },
            },
          ],
        ],
      )
    })

    test('workers follow the backlog first and the lag second, from none and to none', () => {
      const scaled = manifests.filter(({ kind }) => kind === 'ScaledObject')
      assert.deepEqual(scaled.map(({ metadata }) => metadata.name).sort(), [
        'browser-worker',
        'http-worker',
        'ingest',
        'processor',
      ])
      for (const { spec } of scaled) {
        assert.equal(spec.minReplicaCount, 0)
        const [backlog, lag] = spec.triggers
        assert.match(
          backlog.metadata.query,
          /^max\(kscrape_backlog\{queue="(fetch\.http|fetch\.browser|process|ingest)"\}\)$/,
        )
        assert.equal(backlog.metadata.activationThreshold, '0')
        // Only the lag can wake what sleeps; pending entries and lengths can't.
        assert.ok('lagCount' in lag.metadata && 'activationLagCount' in lag.metadata)
        assert.ok(!('pendingEntriesCount' in lag.metadata) && !('streamLength' in lag.metadata))
        assert.ok(Object.values<string>(streams).includes(lag.metadata.stream.replace('kscrape:', '')))
        assert.equal(lag.metadata.stream, `kscrape:${/queue="([\w.]+)"/.exec(backlog.metadata.query)![1]}`)
      }
      const [hpa] = manifests.filter(({ kind }) => kind === 'HorizontalPodAutoscaler')
      assert.deepEqual(
        hpa!.spec.metrics.map((metric: { resource: { name: string } }) => metric.resource.name),
        ['cpu', 'memory'],
      )
    })

    test('every setting in the ConfigMap is one that the program knows', () => {
      const known = new Set(describeSettings().map(({ env }) => env))
      const { data } = manifests.find(({ kind }) => kind === 'ConfigMap')!
      for (const variable of Object.keys(data)) assert.ok(known.has(variable), variable)
    })

    test('nothing says a secret in clear', () => {
      assert.deepEqual(named('Secret'), [])
    })
  })

test('the images that CI writes into the overlay of staging are the ones that its pods run', () => {
  const script = readFileSync(join(root, 'ci/build-images.sh'), 'utf8')
  const built = [...script.matchAll(/\b(?:slim|browser):(kscrape[\w-]*)/g)].map(([, name]) => name)
  const run = ofOverlay('staging')
    .flatMap(manifest => podOf(manifest)?.spec.containers ?? [])
    .map(({ image }: { image: string }) => image.replace(/^.*\/|:.*$/g, ''))
  assert.deepEqual([...new Set(run)].sort(), [...new Set(built)].sort())
})

test('every file under deploy/kubernetes is part of something that is rendered, or documented as an example', () => {
  const known = new Set<string>()
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      if (entry.isDirectory()) walk(`${folder}/${entry.name}`)
      else if (entry.name === 'kustomization.yaml')
        for (const [, file] of readFileSync(join(root, folder, entry.name), 'utf8').matchAll(
          /([\w.-]+\.(?:yaml|json))/g,
        ))
          known.add(`${folder}/${file}`)
    }
  }
  walk('deploy/kubernetes')
  const missing: string[] = []
  const look = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory()) look(path)
      else if (entry.name !== 'kustomization.yaml' && !known.has(path)) missing.push(path)
    }
  }
  look('deploy/kubernetes')
  assert.deepEqual(missing.sort(), [
    'deploy/kubernetes/secrets/sample-age-key.txt',
    'deploy/kubernetes/secrets/secrets.example.yaml',
    'deploy/kubernetes/secrets/secrets.sops.yaml',
  ])
})
