// Style sheets, fonts and images of pages, for previews and branding. This process fetches them through the egress gate, without
// cookies or headers of jobs.
import type { Settings } from '../../config/settings.ts'
import type { PageSheet } from '../../extract/style-sheets.ts'
import { Failure } from '../../model/failures.ts'
import { type InlinedLook, inlineLook, sheetTexts } from '../../pipeline/report/look-files.ts'
import type { PageLook } from '../../pipeline/report/page-look.ts'
import type { Fetch } from '../../ports/fetch.ts'
import { openOwnHttp } from './own-http.ts'

export interface PreviewLooks {
  inline(look: PageLook): Promise<InlinedLook>
  /** The text of the style sheets, and how many of them could not be fetched. */
  sheetTexts(sheets: readonly PageSheet[]): Promise<{ css: string; missing: number }>
}

type LookSettings = Pick<
  Settings,
  'allowPrivate' | 'caFile' | 'userAgent' | 'contact' | 'proxies' | 'proxiesFile'
>

export function openPreviewLooks(settings: LookSettings): PreviewLooks & AsyncDisposable {
  const { allowPrivate, proxies, proxiesFile } = settings
  const http = openOwnHttp(settings, allowPrivate)
  // An operator who uses proxies may want to hide the address of this machine. Previews are fetched without a proxy, so
  // they are refused if proxies are set.
  const goesByProxy = proxies.length > 0 || proxiesFile !== undefined
  return {
    inline: look => inlineLook(goesByProxy ? refused : http.fetch, look),
    sheetTexts: sheets => sheetTexts(goesByProxy ? refused : http.fetch, sheets),
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  }
}

const refused: Fetch = async ({ url }) => {
  throw new Failure('address.refused', `${url}: previews do not go through proxies`)
}
