// The index key of a request with a body. Replay tools find the response of a POST by its URL and body together.

import { jsonIn } from '../../model/json.ts'

/** Maximum length of a query in the index. Longer queries are cut, as warcio does. */
const mostQueryLength = 4_096

interface IndexedRequest {
  method: string
  /** The body, written as a query. */
  requestBody: string
  /** The URL with method and body appended. */
  url: string
}

/** Returns the index entry by the convention of pywb and warcio: `URL?__wb_method=POST&body`. */
export function indexedRequest(
  method: string,
  url: string,
  contentType: string,
  body: Buffer,
): IndexedRequest {
  const requestBody = queryOf(contentType, body).slice(0, mostQueryLength)
  const query = decoded(requestBody)
  return {
    method,
    requestBody,
    url: `${url}${url.indexOf('?') > 0 ? '&' : '?'}__wb_method=${method}&${query}`,
  }
}

function decoded(query: string): string {
  try {
    return decodeURI(query)
  } catch {
    return ''
  }
}

function queryOf(contentType: string, body: Buffer): string {
  switch (contentType.split(';', 1)[0]) {
    case 'application/x-www-form-urlencoded':
      return body.toString()
    case 'application/json':
      return jsonQuery(jsonIn(body.toString()) ?? {})
    case 'text/plain': {
      const json = jsonIn(body.toString())
      return json === undefined ? '' : jsonQuery(json)
    }
    case 'multipart/form-data':
      return formQuery(body.toString(), contentType)
    default:
      return `__wb_post_data=${body.toString('base64')}`
  }
}

/** Writes a JSON body as a query, with the names and values of all nested levels. A repeated name gets a number. */
function jsonQuery(json: unknown): string {
  const query = new URLSearchParams()
  const repeated = new Map<string, number>()
  const nameFor = (name: string): string => {
    if (!query.has(name)) return name
    const count = (repeated.get(name) ?? 1) + 1
    repeated.set(name, count)
    return `${name}.${count}_`
  }
  const visit = (value: unknown, name: string): void => {
    if (Array.isArray(value)) for (const entry of value) visit(entry, name)
    else if (typeof value === 'object' && value !== null)
      for (const [key, entry] of Object.entries(value)) visit(entry, key)
    else if (value === null) query.set(nameFor(name), 'null')
    else if (String(value) !== '') query.set(nameFor(name), String(value))
  }
  visit(json, '')
  return query.toString()
}

function formQuery(text: string, contentType: string): string {
  const boundary = contentType.split('boundary=')[1]
  const query = new URLSearchParams()
  if (boundary === undefined) return ''
  for (const part of text.split(boundary)) {
    const [, name, value] = /name="([^"]+)"\r\n\r\n(.*)/im.exec(part) ?? []
    if (name !== undefined && value !== undefined) query.set(name, value)
  }
  return query.toString()
}
