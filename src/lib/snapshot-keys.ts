// Keys of the snapshots that changeTracking compares. They start with the host, because an erasure deletes all
// snapshots of a host.

export const snapshotsPrefix = 'snapshots/'

export const snapshotFolder = (host: string): string => `${snapshotsPrefix}${encodeURIComponent(host)}/`

/** The host of a snapshot; null for other keys. */
export function hostOfSnapshot(key: string): string | null {
  const host = /^snapshots\/([^/]+)\//.exec(key)?.[1]
  return host === undefined ? null : decodeURIComponent(host)
}
