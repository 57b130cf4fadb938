// Downloads files. The key is sent in a header, so that no URL contains it.
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

/** An object URL for an image; null if the file is not an image. The caller must revoke it. */
export async function pictureUrl(download: Download): Promise<string | null> {
  const type = pictures.find(each => download.type.startsWith(each))
  return type ? URL.createObjectURL(new Blob([(await download.bytes()) as BlobPart], { type })) : null
}
