// The title and the text of a stored page, for the page list of an archive.

import { wholePage } from '../../extract/content/main-content.ts'
import { toPlainText } from '../../extract/content/plain-text.ts'
import { titleOf } from '../../extract/default-record.ts'
import { parseDocument } from '../../extract/document/index.ts'
import { PageFacts } from '../../extract/page-facts.ts'
import { decodeText } from '../../fetch/http/index.ts'
import type { Page } from '../../model/page/page.ts'
import type { PageWords } from '../../results/exports/page-list.ts'
import { isMarkup } from '../work/parse-page.ts'

/** The title and text; null if the page is not markup. */
export function describePage(page: Page): PageWords | null {
  if (!isMarkup(page)) return null
  const document = parseDocument(decodeText(page))
  return {
    title: titleOf(new PageFacts(document)),
    text: toPlainText(document, wholePage(document)).trim(),
  }
}
