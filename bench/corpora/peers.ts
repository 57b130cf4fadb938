// The other libraries that run here, for the corpora that they support.
import type { CorpusName } from './corpus.ts'
import type { OutputOf } from './ours.ts'

export const peerNames = ['Readability.js', 'defuddle'] as const

interface Peer {
  /** For markdown, the output of Readability.js goes through turndown. */
  name: (typeof peerNames)[number]
  outputOf: OutputOf
}

const forText: readonly CorpusName[] = ['aeb', 'trafilatura', 'recipes', 'traps', 'readability']

export async function peers(name: CorpusName): Promise<Peer[]> {
  if (!forText.includes(name)) return []
  const { readable, defuddled } = await import('../peers/articles.mjs')
  const { decodeText } = await import('../../src/fetch/http/index.ts')
  const asMarkdown = name === 'traps'
  return [
    {
      name: 'Readability.js',
      outputOf: ({ page }) => readable(decodeText(page), asMarkdown),
    },
    { name: 'defuddle', outputOf: ({ page }) => defuddled(decodeText(page), page.url, asMarkdown) },
  ]
}
