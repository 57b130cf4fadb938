// Tests the manifests of Kubernetes and Argo CD: they match their schemas, and every pod has the restrictions that the docs name.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { alertsManifest } from '../../ci/alert-rules.ts'
import { dashboards, grafanaJson } from '../../ci/grafana.ts'
import { group } from '../../src/adapters/redis/consumers.ts'
import { describeSettings } from '../../src/config/settings.ts'
import { specialIpv4, specialIpv6 } from '../../src/fetch/http/addresses.ts'
import { streams } from '../../src/model/cluster-messages.ts'
import { roleNames } from '../../src/roles/cluster/roles.ts'
import { type Manifest, rendered, root, validate, written } from './rendered.ts'

const overlays = ['staging', 'production'] as const
const folders = [
  '../loki',
  'cluster-autoscaler',
  'monitoring',
  'node-setup',
  ...overlays.map(name => `overlays/${name}`),
]
const byFolder = new Map(folders.map(folder => [folder, rendered(`deploy/kubernetes/${folder}`)]))
const argoFiles = ['staging.yaml', 'production.yaml', 'project.yaml']
const ofOverlay = (name: string): Manifest[] => byFolder.get(`overlays/${name}`)!

for (const [folder, manifests] of byFolder)
  test(`every manifest of ${folder} is valid for its kind`, async () => {
    assert.ok(manifests.length > 0)
    for (const manifest of manifests)
      await assert.doesNotReject(validate(manifest), `${manifest.kind} ${manifest.metadata.name}`)
  })

test('the log collector reads the logs of our pods on every node, and processes their lines as in the compose cluster', () => {
  const manifests = byFolder.get('../loki')!
  const config = manifests.find(({ kind }) => kind === 'ConfigMap')!
  assert.deepEqual(Object.keys(config.data).sort(), ['kubernetes.alloy', 'lines.alloy'])
  assert.match(config.data['kubernetes.alloy'], /"app\.kubernetes\.io\/name=kscrape"/)
  assert.match(config.data['kubernetes.alloy'], /forward_to = \[loki\.process\.lines\.receiver\]/)
  const { template } = manifests.find(({ kind }) => kind === 'DaemonSet')!.spec
  const tolerated = template.spec.tolerations.map(({ key }: { key: string }) => key)
  assert.deepEqual(tolerated, ['kscrape/browser'])
  const compose = readFileSync(join(root, 'compose.cluster.yaml'), 'utf8')
  for (const file of ['docker.alloy', 'lines.alloy']) assert.ok(compose.includes(`deploy/loki/${file}`), file)
})

test('the CronJob is suspended, because its schedule does not exist on a new service', () => {
  for (const overlay of overlays)
    assert.equal(ofOverlay(overlay).find(({ kind }) => kind === 'CronJob')!.spec.suspend, true)
})

test('the check of the manifests finds an unknown field', async () => {
  const [deployment] = ofOverlay('staging').filter(({ kind }) => kind === 'Deployment')
  const wrong = structuredClone(deployment!)
  wrong.spec.replica = 3
  await assert.rejects(validate(wrong), /Deployment has no field spec.replica$/)
})

test('the applications of Argo CD are valid, and each follows an overlay that exists', async () => {
  for (const file of argoFiles)
    for (const manifest of written(`deploy/argocd/${file}`)) await validate(manifest)
  const [project] = written('deploy/argocd/project.yaml')
  const places = overlays.map(name => {
    const [application] = written(`deploy/argocd/${name}.yaml`)
    assert.equal(application!.spec.source.path, `deploy/kubernetes/overlays/${name}`)
    return application!.spec.destination
  })
  // Two applications with the same target would overwrite each other.
  assert.notDeepEqual(places[0], places[1])
  assert.deepEqual(project!.spec.destinations, places)
})

/** The pod template of a Deployment, a DaemonSet or a CronJob. */
const podOf = ({ kind, spec }: Manifest) =>
  kind === 'CronJob'
    ? spec.jobTemplate.spec.template
    : ['Deployment', 'DaemonSet', 'StatefulSet', 'Job'].includes(kind)
      ? spec.template
      : null

const podsOf = (manifests: Manifest[]) =>
  manifests.flatMap(manifest => {
    const pod = podOf(manifest)
    return pod ? [{ owner: manifest.metadata.name, ...pod.spec }] : []
  })

type Pod = ReturnType<typeof podsOf>[number]

function assertContained(pod: Pod): void {
  assert.match(pod.securityContext.seccompProfile.type, /^(RuntimeDefault|Localhost)$/, pod.owner)
  for (const flag of ['hostNetwork', 'hostPID', 'hostIPC']) assert.equal(pod[flag], undefined, pod.owner)
  for (const { securityContext, resources, image } of [...(pod.initContainers ?? []), ...pod.containers]) {
    assert.equal(securityContext.allowPrivilegeEscalation, false, pod.owner)
    assert.equal(securityContext.readOnlyRootFilesystem, true, pod.owner)
    assert.equal(securityContext.privileged, undefined, pod.owner)
    assert.deepEqual(securityContext.capabilities, { drop: ['ALL'] }, pod.owner)
    assert.ok(resources.requests.cpu && resources.requests.memory && resources.limits.memory, pod.owner)
    assert.ok(!image.endsWith(':latest') && image.includes(':'), `${pod.owner}: ${image}`)
  }
}

test('the manifests of the cluster contain all tested alerts and dashboards, unchanged', () => {
  assert.equal(readFileSync(join(root, 'deploy/kubernetes/monitoring/rules.yaml'), 'utf8'), alertsManifest())
  const shown = byFolder.get('monitoring')!.find(({ kind }) => kind === 'ConfigMap')!
  assert.deepEqual(
    shown.data,
    Object.fromEntries(dashboards.map(one => [`${one.uid}.json`, grafanaJson(one)])),
  )
  assert.equal(shown.metadata.labels?.grafana_dashboard, '1')
})

test('cluster-wide components are hardened too, and only the copier of the seccomp profile writes to its node', () => {
  const pods = ['cluster-autoscaler', 'node-setup'].flatMap(folder => podsOf(byFolder.get(folder)!))
  assert.deepEqual(
    pods.map(({ owner }) => owner),
    ['cluster-autoscaler', 'kscrape-seccomp'],
  )
  for (const pod of pods) assertContained(pod)
  const [autoscaler, copier] = pods
  assert.equal(autoscaler.securityContext.runAsNonRoot, true)
  assert.ok(!JSON.stringify(autoscaler.volumes ?? []).includes('hostPath'))
  const paths = copier.volumes.flatMap(
    ({ hostPath }: { hostPath?: { path: string } }) => hostPath?.path ?? [],
  )
  assert.deepEqual(paths, ['/var/lib/kubelet/seccomp/kscrape'])
})

test('the seccomp profile for browsers allows Chromium’s sandbox, and forbids mounts, modules, tracing and joining namespaces', () => {
  const profile = JSON.parse(
    readFileSync(join(root, 'deploy/kubernetes/node-setup/seccomp-chromium.json'), 'utf8'),
  ) as { syscalls: Array<{ names: string[]; action: string }> }
  const refused = new Set(
    profile.syscalls.flatMap(({ names, action }) => (action === 'SCMP_ACT_ERRNO' ? names : [])),
  )
  for (const name of ['clone', 'clone3', 'unshare', 'chroot', 'seccomp', 'prctl'])
    assert.ok(!refused.has(name), name)
  for (const name of ['mount', 'pivot_root', 'init_module', 'kexec_load', 'bpf', 'ptrace', 'setns', 'keyctl'])
    assert.ok(refused.has(name), name)
})

for (const name of overlays)
  describe(`in ${name}`, () => {
    const manifests = ofOverlay(name)
    const pods = podsOf(manifests)
    const deployments = manifests.filter(({ kind }) => kind === 'Deployment')
    const named = (kind: string) =>
      manifests.filter(manifest => manifest.kind === kind).map(({ metadata }) => metadata.name)

    test('every role of the program has a deployment, and every deployment starts its role', () => {
      assert.deepEqual(named('Deployment').sort(), [...roleNames].sort())
      for (const { metadata, spec } of deployments)
        assert.deepEqual(spec.template.spec.containers[0].args, ['start', metadata.name])
    })

    test('no pod has unneeded privileges, and each deployment has its own account', () => {
      for (const pod of pods) {
        assertContained(pod)
        assert.equal(pod.securityContext.runAsNonRoot, true, pod.owner)
        assert.equal(pod.automountServiceAccountToken, false, pod.owner)
        assert.equal(pod.serviceAccountName, pod.owner)
        assert.ok(named('ServiceAccount').includes(pod.owner), pod.owner)
        assert.ok(!JSON.stringify(pod.volumes ?? []).includes('hostPath'), pod.owner)
      }
    })

    test('pods read every Secret that the operator creates', () => {
      const made = manifests.flatMap(({ kind, spec }) =>
        kind === 'ExternalSecret' ? [spec.target.name] : [],
      )
      for (const { metadata, spec } of deployments)
        for (const { envFrom } of [...spec.template.spec.initContainers, ...spec.template.spec.containers])
          assert.deepEqual(
            envFrom.flatMap(({ secretRef }: { secretRef?: { name: string } }) => secretRef?.name ?? []),
            made,
            metadata.name,
          )
    })

    test('every role has probes, a grace period, a disruption budget, zones, its own account and a migration', () => {
      for (const { metadata, spec } of deployments) {
        const { containers, initContainers, ...pod } = spec.template.spec
        for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
          assert.ok(containers[0][probe])
        assert.ok(pod.terminationGracePeriodSeconds >= 30)
        assert.ok(pod.topologySpreadConstraints.length > 0)
        // Each role is spread over zones and nodes separately.
        for (const { matchLabelKeys } of pod.topologySpreadConstraints)
          assert.deepEqual(matchLabelKeys, ['app.kubernetes.io/component'])
        assert.deepEqual(initContainers[0].args.slice(0, 1), ['migrate'])
        const budget = manifests.find(
          ({ kind, metadata: { name } }) => kind === 'PodDisruptionBudget' && name === metadata.name,
        )
        // With minAvailable: 1, a single pod would block the drain of its node.
        assert.ok(budget?.spec.maxUnavailable)
        assert.ok(named('PodMonitor').includes(metadata.name))
        assert.ok(named('NetworkPolicy').includes(metadata.name))
      }
      for (const account of manifests.filter(({ kind }) => kind === 'ServiceAccount'))
        assert.equal(account.automountServiceAccountToken, false)
    })

    test('network policies allow only the named connections', () => {
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

    test('every role sends its traces to the collector, and a network policy allows this', () => {
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

    test('workers scale by runnable work first and by lag second, both up from zero and down to zero', () => {
      const scaled = manifests.filter(({ kind }) => kind === 'ScaledObject')
      assert.deepEqual(scaled.map(({ metadata }) => metadata.name).sort(), [
        'browser-worker',
        'http-worker',
        'ingest',
        'processor',
      ])
      for (const { spec } of scaled) {
        assert.equal(spec.minReplicaCount, 0)
        const [runnable, lag] = spec.triggers
        assert.match(
          runnable.metadata.query,
          /^max\(kscrape_runnable\{queue="(fetch\.http|fetch\.browser|process|ingest)"\}\)$/,
        )
        assert.equal(runnable.metadata.activationThreshold, '0')
        // Only the lag of a stream can start a role from zero pods. Pending entries and the length of the stream cannot.
        assert.ok('lagCount' in lag.metadata && 'activationLagCount' in lag.metadata)
        assert.ok(!('pendingEntriesCount' in lag.metadata) && !('streamLength' in lag.metadata))
        assert.ok(Object.values<string>(streams).includes(lag.metadata.stream.replace('kscrape:', '')))
        assert.equal(lag.metadata.consumerGroup, group)
        assert.equal(lag.metadata.stream, `kscrape:${/queue="([\w.]+)"/.exec(runnable.metadata.query)![1]}`)
      }
      const [hpa] = manifests.filter(({ kind }) => kind === 'HorizontalPodAutoscaler')
      assert.deepEqual(
        hpa!.spec.metrics.map((metric: { resource: { name: string } }) => metric.resource.name),
        ['cpu', 'memory'],
      )
      const { averageValue } = hpa!.spec.metrics[1].resource.target
      const api = manifests.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'api')!
      const { limits } = api.spec.template.spec.containers[0].resources
      const inMb = (amount: string) => Number.parseInt(amount, 10) * (amount.endsWith('Gi') ? 1_024 : 1)
      // The value must be higher than the memory of an idle pod, and lower than the memory limit.
      assert.ok(inMb(averageValue) > 300 && inMb(averageValue) < inMb(limits.memory), averageValue)
    })

    test('every setting in the ConfigMap is known to the program', () => {
      const known = new Set(describeSettings().map(({ env }) => env))
      const { data } = manifests.find(({ kind }) => kind === 'ConfigMap')!
      for (const variable of Object.keys(data)) assert.ok(known.has(variable), variable)
    })

    test('no manifest contains a secret in plain text', () => {
      assert.deepEqual(named('Secret'), [])
    })
  })

test('the images that CI writes into the staging overlay are the images that its pods run', () => {
  const script = readFileSync(join(root, 'ci/build-images.sh'), 'utf8')
  const built = [...script.matchAll(/^build_changed (?:slim|browser) (kscrape[\w-]*)/gm)].map(
    ([, name]) => name,
  )
  const run = ofOverlay('staging')
    .flatMap(manifest => podOf(manifest)?.spec.containers ?? [])
    .map(({ image }: { image: string }) => image.replace(/^.*\/|:.*$/g, ''))
  assert.deepEqual([...new Set(run)].sort(), [...new Set(built)].sort())
})

test('every file under deploy/kubernetes is rendered, or documented as an example', () => {
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
