// Stores artifacts. Each is a separate blob.
import type { Artifact, KeptArtifact } from '../model/policy/rendering.ts'
import type { Task } from '../model/task.ts'
import type { Blobs } from '../ports/blobs.ts'
import { artifactFolder, itemFolder, itemIdOf } from './keys.ts'

interface ArtifactPlace extends Pick<Task, 'jobId' | 'n' | 'itemId'> {
  /** If true, artifacts are stored in the folder of the item (items layout). If false, they are stored in the job's
   *  folder for artifacts. */
  inItem: boolean
}

/** Stores the artifacts. They are durable when the promise resolves. */
export async function keepArtifacts(
  blobs: Blobs,
  place: ArtifactPlace,
  artifacts: readonly Artifact[],
): Promise<KeptArtifact[]> {
  const folder = place.inItem
    ? itemFolder(place.jobId, itemIdOf(place))
    : artifactFolder(place.jobId, place.n)
  const kept: KeptArtifact[] = []
  for (const artifact of artifacts) {
    const key = `${folder}/${artifactFile(artifact)}`
    await blobs.put(key, artifact.bytes)
    kept.push({ ...artifact, bytes: artifact.bytes.length, key })
  }
  return kept
}

/** The file name of an artifact, with an extension: `screenshot.png`, `download-2.csv`. */
export const artifactFile = ({
  name,
  fileName,
  type,
}: Pick<Artifact, 'name' | 'fileName' | 'type'>): string => `${safeName(name)}${endingOf(fileName, type)}`

const safeName = (name: string): string => name.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 100) || 'file'

const endings: Partial<Record<string, string>> = {
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'application/pdf': '.pdf',
  'text/html': '.html',
  'text/plain': '.txt',
  'application/json': '.json',
  'application/zip': '.zip',
}

/** The extension of the site's file name if it is short and plain, otherwise an extension for the content type. */
const endingOf = (fileName: string, type: string): string =>
  /\.[A-Za-z0-9]{1,8}$/.exec(fileName)?.[0].toLowerCase() ?? endings[type.split(';', 1)[0]!] ?? '.bin'

/** Numbers several artifacts of one kind: `screenshot`, `screenshot-2`. */
export function numbered(artifacts: readonly Artifact[]): Artifact[] {
  const taken = new Set<string>()
  return artifacts.map(artifact => {
    let name = artifact.name
    for (let number = 2; taken.has(name); number++) name = `${artifact.name}-${number}`
    taken.add(name)
    return name === artifact.name ? artifact : { ...artifact, name }
  })
}

/** Renames evidence of a failed attempt, so that later attempts do not replace it. */
export const ofFailure = (artifacts: readonly Artifact[], attempt: number): Artifact[] =>
  artifacts.map(artifact => ({ ...artifact, name: `failed-${attempt}-${artifact.name}` }))
