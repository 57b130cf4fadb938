// A downloaded file: its name, and its bytes as a stream or as a whole.

export interface Download {
  fileName: string
  type: string
  stream(): ReadableStream<Uint8Array>
  bytes(): Promise<Uint8Array>
  text(): Promise<string>
}

export function downloadOf(response: Response): Download {
  const named = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')
  return {
    fileName: named?.[1] ?? 'download',
    type: response.headers.get('content-type') ?? 'application/octet-stream',
    stream: () => response.body ?? (new Blob([]).stream() as ReadableStream<Uint8Array>),
    bytes: async () => new Uint8Array(await response.arrayBuffer()),
    text: () => response.text(),
  }
}
