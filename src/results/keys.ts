// Keys of stored results. All keys of a job are below `jobs/{job_id}/`.
import { Failure } from '../model/failures.ts'
import { isStoredId } from '../model/ids.ts'
import type { Task } from '../model/task.ts'

/** Prefix of profiles of a process. They are stored until the caller has read them. */
export const diagnosticsPrefix = 'diagnostics/'

export const jobPrefix = (jobId: string): string => `jobs/${checked(jobId)}/`

/** The name for a SegmentWriter. `run` distinguishes processes and lanes that write for the same job. */
export const segmentName = (jobId: string, run: string): string => `${segmentsPrefix(jobId)}${checked(run)}`

export const segmentsPrefix = (jobId: string): string => `${jobPrefix(jobId)}segments/`

/** The id of the job to which an object belongs; null if there is none. */
export const jobOfKey = (key: string): string | null => /^jobs\/([^/]+)\//.exec(key)?.[1] ?? null

/** The kind of a stored object that retention can delete: raw pages, or artifacts of browsers. Null for all
 *  other objects. */
export function kindOfKept(key: string): 'raw' | 'artifacts' | null {
  const folder = /^jobs\/[^/]+\/(segments|artifacts)\/[^/]/.exec(key)?.[1]
  if (folder === 'segments') return 'raw'
  return folder === 'artifacts' ? 'artifacts' : null
}

/** The host name of a part of a raw export; null for other keys. */
export function domainOfRawPart(key: string): string | null {
  const domain = /^jobs\/[^/]+\/raw\/domain=([^/]+)\//.exec(key)?.[1]
  return domain === undefined ? null : decodeURIComponent(domain)
}

/** True for raw pages as Parquet, and for the state of that export. */
export const isRawExport = (key: string): boolean => /^jobs\/[^/]+\/raw\//.test(key)

/** The folder for artifacts of one task. */
export const artifactFolder = (jobId: string, n: number): string => `${jobPrefix(jobId)}artifacts/${n}`

/** True for segments. Older segments are gzip files. */
export const isWarcKey = (key: string): boolean => /\.warc\.(zst|gz)$/.test(key)

/** True for segments with zstd frames. */
export const isZstdKey = (key: string): boolean => key.endsWith('.warc.zst')

/** The caller's id of the task. If there is none, `task-` and the task number. */
export const itemIdOf = (task: Pick<Task, 'itemId' | 'n'>): string => task.itemId ?? `task-${task.n}`

export interface ItemKeys {
  /** The page, if it has at most 1 KB. Larger pages are in `htmlGz`. */
  html: string
  htmlGz: string
  /** Requests and responses of a scraper that sent several requests. */
  run: string
  data: string
  metadata: string
  manifest: string
}

export const itemFolder = (jobId: string, itemId: string): string =>
  `${jobPrefix(jobId)}items/${checked(itemId)}`

export function itemKeys(jobId: string, itemId: string): ItemKeys {
  const folder = itemFolder(jobId, itemId)
  return {
    html: `${folder}/html.html`,
    htmlGz: `${folder}/html.html.gz`,
    run: `${folder}/${runFile}`,
    data: `${folder}/data.json`,
    metadata: `${folder}/metadata.json`,
    manifest: `${jobPrefix(jobId)}manifests/items/${itemId}.json`,
  }
}

const runFile = 'run.warc.gz'

/** Key of the metadata file of the item. `htmlKey` is the key of the item's page; null for any other key. */
export const metadataBeside = (htmlKey: string): string | null => beside(htmlKey, 'metadata.json')

/** Key of the file with the exchanges of the item. `htmlKey` is the key of the item's page; null for any
 *  other key. */
export const runBeside = (htmlKey: string): string | null => beside(htmlKey, runFile)

function beside(htmlKey: string, file: string): string | null {
  const folder = /^(jobs\/[^/]+\/items\/[^/]+\/)html\.html(\.gz)?$/.exec(htmlKey)?.[1]
  return folder === undefined ? null : `${folder}${file}`
}

export const manifestKinds = ['full', 'success', 'errors'] as const
export type ManifestKind = (typeof manifestKinds)[number]

/** The key of one part of a manifest. Parts are numbered from 1. */
export const manifestPart = (jobId: string, kind: ManifestKind, part: number): string =>
  `${jobPrefix(jobId)}manifests/${kind}/part-${part}.json`

/** The key of the rules that a language model proposed. The file also says which of them were used. */
export const proposedRulesKey = (jobId: string): string => `${jobPrefix(jobId)}llm/proposed-rules.json`

export const jobMetadataKey = (jobId: string): string => `${jobPrefix(jobId)}job_metadata.json`

// Ids are validated at the input, and again here because they become paths.
function checked(id: string): string {
  if (isStoredId(id)) return id
  throw new Failure(
    'input.invalid',
    `"${id}" cannot be part of a storage key: use letters, digits, ".", "_", "-"`,
  )
}
