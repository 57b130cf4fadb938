// The corpora in a folder: pages with their expected results.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Page } from '../../src/model/page/page.ts'

export const corpora = [
  'aeb',
  'trafilatura',
  'recipes',
  'traps',
  'readability',
  'products',
  'publish-dates',
  'prices',
  'dates',
] as const
export type CorpusName = (typeof corpora)[number]

export interface Gold {
  id: string
  url?: string
  /** The text to parse, in corpora without pages. */
  text?: string
  now?: string
  currency_hint?: string | null
  content_type?: string
}

export interface Item {
  gold: Gold
  page: Page
}

/** Corpora whose content type names no character set. Detecting it is part of the task. */
const contentTypes: Partial<Record<CorpusName, string>> = {
  trafilatura: 'text/html',
  'publish-dates': 'text/html',
}

/** Null if the corpus does not exist. Pages are read one at a time. */
export function openCorpus(from: string, name: CorpusName): (() => Generator<Item>) | null {
  const file = join(from, name, 'gold.jsonl')
  if (!existsSync(file)) return null
  const lines = readFileSync(file, 'utf8').split('\n')
  const golds = lines.filter(line => line.trim() !== '').map(line => JSON.parse(line) as Gold)
  return function* () {
    for (const gold of golds) yield { gold, page: pageOf(from, name, gold) }
  }
}

function pageOf(from: string, name: CorpusName, gold: Gold): Page {
  const file = join(from, name, 'pages', `${gold.id}.html.gz`)
  const body = existsSync(file) ? gunzipSync(readFileSync(file)) : Buffer.alloc(0)
  const url = gold.url ?? 'https://corpus.example/page'
  const type = gold.content_type ?? contentTypes[name] ?? 'text/html; charset=utf-8'
  return {
    url,
    finalUrl: url,
    status: 200,
    headers: [['content-type', type]],
    body,
    wireBytes: body.length,
    hops: [],
    remoteAddress: null,
    httpVersion: '1.1',
    startedAt: 0,
    sentAt: 0,
    endedAt: 0,
  }
}
