// Runs the corpora's own scorer.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { CorpusName } from './corpus.ts'

export type Figures = Record<string, number | string>

/** `worst` is the number of the worst items to list. */
export function score(
  from: string,
  name: CorpusName,
  file: string,
  worst: number,
): { figures: Figures; worst: string } {
  const script = join(from, 'score.mjs')
  const flags = ['--root', from, '--json', ...(worst > 0 ? ['--worst', String(worst)] : [])]
  const { stdout, stderr, status } = spawnSync(process.execPath, [script, name, file, ...flags], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`score.mjs ${name} failed: ${stderr.trim()}`)
  const [first = '{}', ...rest] = stdout.split('\n')
  return { figures: JSON.parse(first) as Figures, worst: rest.join('\n').trimEnd() }
}
