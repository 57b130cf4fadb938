// The brand of a page, from its markup and style sheets. It is computed once and stored with the files of the task.
import { type StyleBrand, styleBrand } from '../../extract/branding/brand.ts'
import type { BrandPage } from '../../extract/branding/brand-page.ts'
import type { PageSheet } from '../../extract/style-sheets.ts'
import type { Blobs } from '../../ports/blobs.ts'
import { artifactFolder } from '../../results/keys.ts'

interface PageBranding extends StyleBrand {
  brandName?: string
  logo: string | null
  images: { logo: string | null; favicon: string | null; ogImage: string | null }
}

interface FoundBranding {
  branding: PageBranding
  /** Style sheets that could not be fetched. */
  missing: number
}

export interface BrandingParts {
  blobs: Pick<Blobs, 'get' | 'put'>
  sheetTexts: (sheets: readonly PageSheet[]) => Promise<{ css: string; missing: number }>
}

/** The brand of a page. It is cached, because callers request the same result repeatedly, and each computation fetches
 *  the site's style sheets. */
export async function pageBranding(
  { blobs, sheetTexts }: BrandingParts,
  { jobId, n }: { jobId: string; n: number },
  page: BrandPage,
): Promise<FoundBranding> {
  const key = `${artifactFolder(jobId, n)}/branding.json`
  const known = await blobs.get(key)
  if (known) return JSON.parse(known.toString()) as FoundBranding
  const { css, missing } = await sheetTexts(page.sheets)
  const found = { branding: brandingOf(page, css), missing }
  await blobs.put(key, Buffer.from(JSON.stringify(found)))
  return found
}

function brandingOf(page: BrandPage, css: string): PageBranding {
  const { name, logo, favicon, ogImage, themeColor, scheme, inline } = page
  return {
    ...(name !== null && { brandName: name }),
    logo,
    ...styleBrand(`${css}\n${inline}`, { themeColor, scheme }),
    images: { logo, favicon, ogImage },
  }
}
