// Tests the Terraform files without a cloud: every file parses, and every reference exists. The files were never applied.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parse } from '@cdktf/hcl2json'
import { rendered, root, written } from './rendered.ts'

type Blocks = Record<string, Record<string, unknown>>
type Parsed = Partial<Record<'resource' | 'data', Record<string, Blocks>>> &
  Partial<Record<'variable' | 'output', Blocks>> & { locals?: Array<Record<string, unknown>> }

async function parsedFiles(folder: string): Promise<Array<{ file: string; text: string; parsed: Parsed }>> {
  const names = readdirSync(join(root, folder)).filter(name => name.endsWith('.tf'))
  return Promise.all(
    names.map(async file => {
      const text = readFileSync(join(root, folder, file), 'utf8')
      return { file, text, parsed: (await parse(file, text)) as Parsed }
    }),
  )
}

for (const folder of ['deploy/terraform/eks', 'deploy/terraform/ecs'])
  describe(folder, async () => {
    const files = await parsedFiles(folder)
    const all = <Key extends keyof Parsed>(key: Key) => files.flatMap(({ parsed }) => parsed[key] ?? [])
    const variables = new Set(all('variable').flatMap(Object.keys))
    const locals = new Set((all('locals') as Array<Record<string, unknown>>).flatMap(Object.keys))
    const blocks = (kind: 'resource' | 'data') =>
      new Set(
        all(kind).flatMap(byType =>
          Object.entries(byType as Record<string, Blocks>).flatMap(([type, named]) =>
            Object.keys(named).map(name => `${type}.${name}`),
          ),
        ),
      )
    // References inside comments do not count.
    const code = files.map(({ text }) => text.replace(/^\s*#.*$/gm, '')).join('\n')
    const used = (pattern: RegExp) => new Set([...code.matchAll(pattern)].map(([, name]) => name!))

    test('the Terraform files name only variables, locals, resources and sources that exist', () => {
      const without = (names: Set<string>, known: Set<string>) => [...names].filter(name => !known.has(name))
      assert.deepEqual(without(used(/\bvar\.(\w+)/g), variables), [])
      assert.deepEqual(without(used(/\blocal\.(\w+)/g), locals), [])
      assert.deepEqual(without(used(/(?<![\w."])(aws_\w+\.\w+)/g), blocks('resource')), [])
      assert.deepEqual(without(used(/\bdata\.(\w+\.\w+)/g), blocks('data')), [])
    })

    test('the Terraform files use all their variables and locals, and describe each variable', () => {
      assert.deepEqual(
        [...variables].filter(name => !used(/\bvar\.(\w+)/g).has(name)),
        [],
      )
      assert.deepEqual(
        [...locals].filter(name => !used(/\blocal\.(\w+)/g).has(name)),
        [],
      )
      for (const block of [...all('variable'), ...all('output')])
        for (const [name, [about]] of Object.entries(
          block as Record<string, Array<{ description?: string }>>,
        ))
          assert.ok(about?.description, name)
    })

    test('the Terraform files contain no secret, and create nothing that is public or unencrypted', () => {
      assert.doesNotMatch(code, /password\s*=\s*"/)
      assert.doesNotMatch(code, /storage_encrypted\s*=\s*false|publicly_accessible\s*=\s*true/)
    })
  })

test('the data subnets of Terraform are those that the network policies allow', () => {
  const [, common] = written('deploy/kubernetes/base/shared/networkpolicies.yaml')
  const [, data] = common!.spec.egress
  const cidr = data.to[0].ipBlock.cidr as string
  assert.match(
    readFileSync(join(root, 'deploy/terraform/eks/network.tf'), 'utf8'),
    new RegExp(`cidrsubnet\\("${cidr}"`),
  )
})

test('node groups have the tags that the Cluster Autoscaler looks for', () => {
  const asked = readFileSync(join(root, 'deploy/kubernetes/cluster-autoscaler/deployment.yaml'), 'utf8')
  const nodes = readFileSync(join(root, 'deploy/terraform/eks/nodes.tf'), 'utf8').replace(
    /\$\{var\.name\}/g,
    'kscrape',
  )
  const [, tags] = /asg:tag=(\S+)/.exec(asked)!
  for (const tag of tags!.split(',')) assert.ok(nodes.includes(`"${tag}"`), tag)
})

test('each role in AWS trusts the service accounts that use it', () => {
  const roles = readFileSync(join(root, 'deploy/terraform/eks/iam.tf'), 'utf8')
  const accounts = [
    ...rendered('deploy/kubernetes/overlays/production'),
    ...rendered('deploy/kubernetes/cluster-autoscaler'),
  ]
    .filter(({ kind }) => kind === 'ServiceAccount')
    .flatMap(({ metadata: { name, annotations } }) => {
      const role = /:role\/kscrape-([\w-]+)$/.exec(annotations?.['eks.amazonaws.com/role-arn'] ?? '')?.[1]
      return role ? [{ name, role }] : []
    })
  assert.equal(accounts.length, 8)
  for (const { name, role } of accounts)
    assert.match(
      roles,
      new RegExp(`^    ${role} += \\[.*\\b${name}\\b`, 'm'),
      `${role} does not trust ${name}`,
    )
})
