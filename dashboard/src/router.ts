// The current place in the dashboard, such as `#/jobs/some-job?tab=records`. It is the fragment of the URL, so it cannot be
// confused with an API path, and browsers do not send it to the server.
import { useEffect, useState } from 'preact/hooks'

export interface Place {
  /** The decoded segments of the path: `['jobs', 'some-job']`. */
  path: string[]
  query: URLSearchParams
}

function placeNow(): Place {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?', 2)
  return { path: path.split('/').filter(Boolean).map(decoded), query: new URLSearchParams(query) }
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}

/** The URL of a place. An id is encoded, so that it stays one segment. */
export function to(path: readonly string[], query: Record<string, string | undefined> = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]))
  const text = new URLSearchParams(given).toString()
  return `#/${path.map(encodeURIComponent).join('/')}${text ? `?${text}` : ''}`
}

export function go(path: readonly string[], query?: Record<string, string | undefined>): void {
  location.hash = to(path, query)
}

/** Changes the URL without a new history entry, so that the browser's back button leads to the previous place. */
export function replace(path: readonly string[], query?: Record<string, string | undefined>): void {
  history.replaceState(null, '', to(path, query))
  dispatchEvent(new HashChangeEvent('hashchange'))
}

export function usePlace(): Place {
  const [place, setPlace] = useState(placeNow)
  useEffect(() => {
    const onMove = () => setPlace(placeNow())
    addEventListener('hashchange', onMove)
    return () => removeEventListener('hashchange', onMove)
  }, [])
  return place
}
