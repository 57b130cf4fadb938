// The report of a mutation run, as lines for a person.
import type { Fate, MutationReport, Tried } from './mutate.ts'
import { describeMutation } from './sites.ts'

export function reportLines(
  { found, tried, minutes }: MutationReport,
  seed: string,
  sourceOf: (file: string) => string,
): string[] {
  const count = (fate: Fate) => tried.filter(one => one.fate === fate).length
  return [
    ...section('Survived: tests execute the code, and none of them notices.', 'survived', tried, sourceOf),
    ...section('Not reached: none of the tests executes the code.', 'not-reached', tried, sourceOf),
    '',
    `${tried.length} of ${found} mutants tried in ${minutes.toFixed(1)} minutes, seed ${seed}: ` +
      `${count('killed')} killed, ${count('timed-out')} timed out, ${count('survived')} survived, ${count('not-reached')} not reached`,
  ]
}

function section(title: string, fate: Fate, tried: Tried[], sourceOf: (file: string) => string): string[] {
  const own = tried
    .filter(one => one.fate === fate)
    .map(({ mutant }) => mutant)
    .toSorted((a, b) => a.file.localeCompare(b.file) || a.start - b.start)
  if (own.length === 0) return []
  const line = (mutant: (typeof own)[number]) =>
    `${mutant.file}:${mutant.line}:${mutant.column}  ${describeMutation(mutant, sourceOf(mutant.file))}`
  return ['', title, ...own.map(line)]
}
