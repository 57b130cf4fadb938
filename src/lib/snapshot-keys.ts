// Keys of the snapshots that changeTracking compares: by host, because an erasure deletes all of a host.

export const snapshotsPrefix = 'snapshots/'

export const snapshotFolder = (host: string): string => `${snapshotsPrefix}${encodeURIComponent(host)}/`

/** The host of a snapshot; null for other keys. */
export function hostOfSnapshot(key: string): string | null {
  const host = /^snapshots\/([^/]+)\//.exec(key)?.[1]
  return host === undefined ? null : decodeURIComponent(host)
}
