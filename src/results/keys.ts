// Where results are kept: the one scheme of blob keys, all below `jobs/{job_id}/`.
import { Failure } from '../model/failures.ts'
import { isStoredId } from '../model/ids.ts'
import type { Task } from '../model/task.ts'

/** Profiles of a process, until the caller has read them. */
export const diagnosticsPrefix = 'diagnostics/'

export const jobPrefix = (jobId: string): string => `jobs/${checked(jobId)}/`

/** What a SegmentWriter is named by; `run` tells apart the processes and lanes that write for the same job. */
export const segmentName = (jobId: string, run: string): string => `${segmentsPrefix(jobId)}${checked(run)}`

export const segmentsPrefix = (jobId: string): string => `${jobPrefix(jobId)}segments/`

/** The job that an object belongs to; null when it belongs to none. */
export const jobOfKey = (key: string): string | null => /^jobs\/([^/]+)\//.exec(key)?.[1] ?? null

/** What is only kept for a while: raw pages, and what browsers left. Null for everything else. */
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

/** Raw pages as Parquet, and the state of that export. */
export const isRawExport = (key: string): boolean => /^jobs\/[^/]+\/raw\//.test(key)

/** Files that came of one task. */
export const artifactFolder = (jobId: string, n: number): string => `${jobPrefix(jobId)}artifacts/${n}`

export const isWarcKey = (key: string): boolean => key.endsWith('.warc.gz')

/** The caller's own name for a task, else one made of its number. */
export const itemIdOf = (task: Pick<Task, 'itemId' | 'n'>): string => task.itemId ?? `task-${task.n}`

export interface ItemKeys {
  /** Holds the page as it is; pages over 1 KB are in `htmlGz` instead. */
  html: string
  htmlGz: string
  /** What a scraper of several steps asked and was answered. */
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

/** The metadata that lies beside an item's page; null when the key is no item's page. */
export const metadataBeside = (htmlKey: string): string | null => beside(htmlKey, 'metadata.json')

/** The steps that led to an item's page. */
export const runBeside = (htmlKey: string): string | null => beside(htmlKey, runFile)

function beside(htmlKey: string, file: string): string | null {
  const folder = /^(jobs\/[^/]+\/items\/[^/]+\/)html\.html(\.gz)?$/.exec(htmlKey)?.[1]
  return folder === undefined ? null : `${folder}${file}`
}

export const manifestKinds = ['full', 'success', 'errors'] as const
export type ManifestKind = (typeof manifestKinds)[number]

/** Parts count from 1. */
export const manifestPart = (jobId: string, kind: ManifestKind, part: number): string =>
  `${jobPrefix(jobId)}manifests/${kind}/part-${part}.json`

/** What a language model proposed, and what was kept of it. */
export const proposedRulesKey = (jobId: string): string => `${jobPrefix(jobId)}llm/proposed-rules.json`

export const jobMetadataKey = (jobId: string): string => `${jobPrefix(jobId)}job_metadata.json`

// Ids are checked where they come in; here once more, because they become paths.
function checked(id: string): string {
  if (isStoredId(id)) return id
  throw new Failure(
    'input.invalid',
    `"${id}" cannot be part of a storage key: use letters, digits, ".", "_", "-"`,
  )
}
