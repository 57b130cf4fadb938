// Files to the reader's disk: asked for with the key in a header, so no address holds it.
import type { Download } from './api.ts'

export async function saveDownload(download: Download): Promise<void> {
  save(
    download.fileName,
    new Blob([(await download.bytes()) as BlobPart], { type: 'application/octet-stream' }),
  )
}

export function saveText(fileName: string, text: string): void {
  save(fileName, new Blob([text], { type: 'application/octet-stream' }))
}

function save(fileName: string, blob: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = fileName
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

const pictures = ['image/png', 'image/jpeg', 'image/webp']

/** An address for a picture that can be shown; null for what is none. To be revoked by whoever asked. */
export async function pictureUrl(download: Download): Promise<string | null> {
  const type = pictures.find(each => download.type.startsWith(each))
  return type ? URL.createObjectURL(new Blob([(await download.bytes()) as BlobPart], { type })) : null
}
