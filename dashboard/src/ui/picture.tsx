// A screenshot that is fetched with the key and shown from memory.
import { useEffect, useState } from 'preact/hooks'
import type { Download } from '../api.ts'
import { pictureUrl } from '../download.ts'
import { Loading, Problem } from './parts.tsx'

export function Picture({ load, alt }: { load: () => Promise<Download>; alt: string }) {
  const [url, setUrl] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  useEffect(() => {
    let made: string | null = null
    let isWanted = true
    load()
      .then(pictureUrl)
      .then(
        address => {
          made = address
          if (!isWanted) return address && URL.revokeObjectURL(address)
          if (address) setUrl(address)
          else setProblem('The file of this name is not an image.')
        },
        error => isWanted && setProblem(String(error.message)),
      )
    return () => {
      isWanted = false
      if (made) URL.revokeObjectURL(made)
    }
  }, [])
  if (problem) return <Problem message={problem} />
  if (!url) return <Loading rows={3} />
  return (
    <div class="shot-box">
      <img class="shot" src={url} alt={alt} />
    </div>
  )
}
