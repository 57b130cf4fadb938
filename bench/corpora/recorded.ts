// Scores of tools that this benchmark does not run. The corpora's README has them, for the half that developers may see.
import type { CorpusName } from './corpus.ts'

type ByFigure = Record<string, string>

const recordings: Partial<Record<CorpusName, Array<[tool: string, figures: ByFigure]>>> = {
  aeb: [
    ['rs_trafilatura', { f1: '.973', precision: '.961', recall: '.986' }],
    ['AutoExtract (service, 2020)', { f1: '.968', precision: '.984', recall: '.953' }],
    ['trafilatura 2.2.0', { f1: '.950', precision: '.934', recall: '.967' }],
  ],
  trafilatura: [['trafilatura 2.2.0', { f1: '.916', precision: '.891', recall: '.941', accuracy: '.913' }]],
  recipes: [
    [
      'trafilatura 2.2.0',
      {
        lines_kept_by_hash: '.891',
        lost_over_half_by_hash: '13',
        lines_kept: '.879',
        lost_over_half: '16',
        share_of_page_kept: '.431',
      },
    ],
  ],
  traps: [['trafilatura 2.2.0', { passed: '18' }]],
  readability: [
    [
      'trafilatura 2.2.0',
      {
        f1: '.927',
        precision: '.956',
        recall: '.900',
        title_match: '.631',
        byline_match: '.600',
        publishedTime_match: '.857',
        siteName_match: '.800',
        excerpt_match: '.507',
      },
    ],
  ],
  products: [
    [
      'Zyte (service, 2021)',
      {
        price_f1: '.910',
        currency_f1: '.968',
        sku_f1: '.910',
        availability_f1: '.929',
        brand_f1: '.788',
      },
    ],
    ['extruct', { price_f1: '.691', currency_f1: '.781', sku_f1: '.598', availability_f1: '.642' }],
  ],
  'publish-dates': [['htmldate 1.10.0', { right: '224', none: '2', wrong: '24' }]],
  prices: [['price-parser', { amounts_right: '529', currencies_given: '420', currencies_right: '415' }]],
  dates: [
    [
      'dateparser 1.1.6',
      {
        dates_parsing: '88 right, 2 none, 0 wrong of 90',
        of_which_year_given: '79 right, 1 none, 0 wrong of 80',
        with_normalization: '68 right, 1 none, 0 wrong of 69',
      },
    ],
  ],
}

/** The recorded score of each tool that has one, like `trafilatura 2.2.0 .916`, separated by `; `. */
export const recorded = (name: CorpusName, figure: string): string =>
  (recordings[name] ?? [])
    .flatMap(([tool, figures]) => (figures[figure] === undefined ? [] : [`${tool} ${figures[figure]}`]))
    .join('; ') || '–'
