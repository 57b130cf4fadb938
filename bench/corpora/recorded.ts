// Figures of tools that do not run here, as the corpora's README records them on the developers' half.
import type { CorpusName } from './corpus.ts'
import { headings } from './figures.ts'

const rows: Partial<Record<CorpusName, string[][]>> = {
  aeb: [
    ['rs_trafilatura', '.973', '.961', '.986'],
    ['AutoExtract (service, 2020)', '.968', '.984', '.953'],
    ['trafilatura 2.2.0', '.950', '.934', '.967'],
  ],
  trafilatura: [['trafilatura 2.2.0', '.916', '.891', '.941', '.913']],
  recipes: [['trafilatura 2.2.0', '.891', '13', '.879', '16', '.431']],
  traps: [['trafilatura 2.2.0', '18']],
  readability: [
    ['trafilatura 2.2.0', '.927', '.956', '.900', '.631', '.600', '.857', '.800', '.000', '.507'],
  ],
  products: [
    ['Zyte (service, 2021)', '.910', '.968', '.910', '.929', '.788'],
    ['extruct', '.691', '.781', '.598', '.642'],
  ],
  'publish-dates': [['htmldate 1.10.0', '224', '2', '24']],
  prices: [['price-parser', '529', '420', '415']],
  dates: [
    [
      'dateparser 1.1.6',
      '88 right, 2 none, 0 wrong of 90',
      '79 right, 1 none, 0 wrong of 80',
      '68 right, 1 none, 0 wrong of 69',
    ],
  ],
}

/** Filled up to the width of the table. */
export function recorded(name: CorpusName): string[][] {
  const width = headings(name).length
  return (rows[name] ?? []).map(([tool, ...cells]) => [
    `${tool}, recorded`,
    ...Array.from({ length: width - 1 }, (_, column) => cells[column] ?? '–'),
  ])
}
