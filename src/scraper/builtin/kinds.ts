// How built-in scrapers recognize their pages: by declared types, then by specific signals.
import type { PageKind } from '../../model/page/page-kind.ts'
import type { PageFit, PageWanted } from '../page-fit.ts'
import type { PageView } from '../page-view.ts'
import { labelled } from './labelled.ts'

const fits: PageFit = { fits: 'yes' }

/** Judges each page once and caches the result, because scrapers ask repeatedly. */
function wanted(what: string, judge: (page: PageView) => PageFit): PageWanted {
  const judged = new WeakMap<PageView, PageFit>()
  return {
    what,
    judge(page) {
      const fit = judged.get(page) ?? judge(page)
      judged.set(page, fit)
      return fit
    },
  }
}

const named: Record<PageKind, string> = {
  article: 'an article',
  product: 'a product page',
  recipe: 'a recipe',
  listing: 'a list',
  documentation: 'documentation',
  discussion: 'a discussion',
  other: 'a page of an unknown kind',
}

/** Types that are always the subject of their page, although `PageKind` has no kind for them. */
const subjects: Array<[type: string, what: string]> = [
  ['JobPosting', 'a job posting'],
  ['Event', 'an event'],
]

const found = ({ kind, why }: ReturnType<PageView['kind']>): string => `${named[kind]} (${why})`

/** Returns `fits: no` if structured data declares another kind of page; otherwise null. */
function declaredOther(
  page: PageView,
  refused: readonly PageKind[],
  own: readonly string[] = [],
): PageFit | null {
  const verdict = page.kind()
  if (verdict.sure && refused.includes(verdict.kind)) return { fits: 'no', found: found(verdict) }
  for (const [type, what] of subjects)
    if (!own.includes(type) && page.things(type).length > 0)
      return { fits: 'no', found: `${what} (structured data says ${type})` }
  return null
}

/** Judges by the text alone: running text without any other signal is an article. */
function byShape(page: PageView): PageFit {
  const verdict = page.kind()
  return { fits: verdict.kind === 'article' ? 'no' : 'unclear', found: found(verdict) }
}

const hasAny = (page: PageView, selectors: string): boolean => page.text(selectors) !== null

/** Short texts of links, buttons and other controls. */
const controls = (page: PageView): string[] => [
  ...page.all('button, a, [role="button"], label').filter(text => text.length < 60),
  ...page
    .each('input[type="submit"], input[type="button"]')
    .flatMap(input => input.attr(':scope', 'value') ?? []),
]

const articleTypes = /article$|^blogposting$|^report$/i
const hasArticle = (page: PageView): boolean =>
  page.things().some(({ types }) => types.some(type => articleTypes.test(type)))

// Article

export const articlePage = wanted('an article', page => {
  if (hasArticle(page)) return fits
  const other = declaredOther(page, ['product', 'listing', 'discussion'])
  if (other) return other
  const verdict = page.kind()
  if (isDated(page)) return fits
  if (verdict.kind === 'listing' && isFrontPage(page)) return { fits: 'no', found: found(verdict) }
  if (!verdict.sure && isShop(page))
    return { fits: 'no', found: 'a product page (it has a price and a button to buy)' }
  return ['listing', 'other', 'discussion'].includes(verdict.kind)
    ? { fits: 'unclear', found: found(verdict) }
    : fits
})

/** Whether the page has metadata that only articles have. */
const isDated = (page: PageView): boolean =>
  page.meta('article:published_time', 'pubdate', 'datepublished', 'dc.date.issued', 'parsely-pub-date') !==
    null || page.meta('og:type') === 'article'

const isFrontPage = (page: PageView): boolean => (URL.parse(page.finalUrl)?.pathname ?? '/') === '/'

// Product

const buys =
  /\b(?:add to (?:cart|bag|basket|trolley)|buy (?:it )?now|in den warenkorb|jetzt kaufen|ajouter au panier|acheter|añadir (?:al carrito|a la cesta)|comprar|adicionar ao carrinho|aggiungi al carrello|acquista|in winkelwagen|toevoegen aan winkel\w*|bestellen|lägg i (?:varukorg\w*|kundvagn\w*)|læg i kurv|lisää ostoskoriin|do koszyka|do košíku|kosárba|sepete ekle|în coș)\b|купить|в корзину|до кошика|カートに入れる|加入购物车|加入購物車|장바구니/i
const buyElements =
  '[class*="add-to-cart" i], [class*="addtocart" i], [id*="add-to-cart" i], [id*="addtocart" i], [name="add-to-cart"], [class*="add-to-bag" i], [data-testid*="add-to-cart" i], form[action*="/cart" i]'
const priceElements = '[itemprop="price"], [class*="price" i], [data-price], [id*="price" i]'
const productTypes = ['Product', 'ProductGroup', 'IndividualProduct', 'ProductModel']

export const productPage = wanted('a product page', page => {
  const products = productTypes.flatMap(type => page.things(type))
  const isOffered = products.some(({ properties }) => properties.offers !== undefined)
  if (isOffered && !hasArticle(page) && page.things('Recipe').length === 0) return fits
  const other = declaredOther(page, ['article', 'recipe', 'documentation', 'discussion', 'listing'])
  if (other) return other
  const verdict = page.kind()
  if (products.length > 0 || verdict.kind === 'product') return fits
  if (page.meta('product:price:amount', 'og:price:amount') !== null) return fits
  const unclear: PageFit = { fits: 'unclear', found: found(verdict) }
  // Shops have blogs and recipes too, with a cart in the header of every page. So a cart alone does not make a product page.
  if (verdict.kind === 'recipe') return unclear
  if (verdict.kind === 'article' && isDated(page)) return { ...unclear, fits: 'no' }
  if (canBuy(page)) return fits
  return hasAny(page, priceElements) ? unclear : byShape(page)
})

/** True if the page has a price and a button to buy the product. A cart in the header is not enough. */
const isShop = (page: PageView): boolean =>
  hasAny(page, priceElements) && hasAny(page, 'button, input[type="submit"], form') && canBuy(page)

/** Whether the page has a button or link to buy the product. Words such as "order" occur on other pages too, so they count
 *  only together with a price. */
const canBuy = (page: PageView): boolean =>
  hasAny(page, buyElements) || (hasAny(page, priceElements) && controls(page).some(text => buys.test(text)))

// Job posting

const jobElements =
  '.job-title, .posting-title, .position-title, [data-testid="job-title"], .job-description, #job-description, [class*="job-detail" i], [class*="vacancy-" i]'
const applies =
  /^(?:easy |quick )?apply(?:$| (?:now|here|online|today|for this|to this|with))|^apply$|^(?:jetzt |hier |online )?bewerben|^postuler|^solicitar (?:empleo|puesto)|^inscribirse|^candida(?:ti|rsi|tar)|^solliciteer|^aplikuj|^ansök|^søg (?:job|stilling)|откликнуться|応募する|立即申请|지원하기/i
const jobLabel =
  /^(?:employment type|job type|contract(?: type)?|type of employment|salary(?: range)?|compensation|pay|department|experience(?: level)?|seniority(?: level)?|closing date|application deadline|reference(?: number)?|job id|requisition(?: id)?|start date|working hours|gehalt|anstellungsart|eintrittstermin|arbeitsort|standort|vertragsart|location|place of work)$/i
const jobHeading =
  /responsibilit|requirements|qualifications|what you(?:'|’)ll (?:do|bring)|what you will do|who you are|about (?:the|this) (?:role|job|position)|your (?:profile|tasks|role)|we offer|aufgaben|(?:ihr|dein) profil|wir bieten|vos missions|profil recherché|requisitos|funciones/i
const jobPath =
  /\/(?:jobs?|careers?|vacanc(?:y|ies)|positions?|openings?|stellen\w*|karriere|emplois?|empleos?|vagas?|lavoro)(?:[/-]|$)/i

export const jobPage = wanted('a job posting', page => {
  const postings = page.things('JobPosting').length
  if (postings > 3) return { fits: 'no', found: `a list of ${postings} job postings` }
  const other = declaredOther(
    page,
    ['article', 'product', 'recipe', 'documentation', 'discussion', 'listing'],
    ['JobPosting'],
  )
  if (postings > 0 && (other === null || !hasArticle(page))) return fits
  if (other) return other
  const signs = jobSigns(page)
  if (signs > 1) return fits
  return signs === 1 && page.kind().kind !== 'article'
    ? { fits: 'unclear', found: found(page.kind()) }
    : byShape(page)
})

function jobSigns(page: PageView): number {
  const headings = page.all('h2, h3, h4, strong')
  return [
    hasAny(page, jobElements),
    controls(page).some(text => applies.test(text)),
    labelled(page, jobLabel).some(({ value }) => value !== null),
    headings.some(text => text.length < 60 && jobHeading.test(text)),
    jobPath.test(URL.parse(page.finalUrl)?.pathname ?? ''),
  ].filter(Boolean).length
}

// Company

const aboutPath =
  /^\/(?:index|home|start)?(?:\.\w+)?$|\/(?:about(?:-us)?|(?:the-|our-)?company|contact(?:-us)?|imprint|impressum|kontakt|team|who-we-are|our-story|uber-uns|ueber-uns|unternehmen|a-propos|qui-sommes-nous|nosotros|quienes-somos|empresa|chi-siamo|azienda|over-ons|om-oss|om-os|o-nas)(?:\.\w+)?\/?$/i

const aboutHeading =
  /^(?:about(?: us)?|contact(?: us)?|who we are|our (?:company|story|team)|imprint|impressum|kontakt|über uns|unternehmen|à propos|qui sommes-nous|nosotros|quiénes somos|chi siamo|over ons|om oss|om os|o nas)\b/i

export const companyPage = (organizations: readonly string[]): PageWanted =>
  wanted('the site of a company', page => {
    const other = declaredOther(page, ['article', 'product', 'recipe', 'documentation', 'discussion'])
    if (other) return other
    const path = URL.parse(page.finalUrl)?.pathname ?? '/'
    if (aboutPath.test(path) || aboutHeading.test(page.text('h1') ?? '')) return fits
    if (page.kind().kind === 'article' && hasDate(page)) return { fits: 'no', found: found(page.kind()) }
    return organizations.some(type => page.things(type).length > 0)
      ? fits
      : { fits: 'unclear', found: found(page.kind()) }
  })

const hasDate = (page: PageView): boolean =>
  page.meta('article:published_time', 'date', 'pubdate', 'dc.date') !== null ||
  hasAny(page, 'article time, time[datetime]')

// Profile

export const profilePage = (parts: string): PageWanted =>
  wanted('the profile of a person', page => {
    const other = declaredOther(page, [
      'article',
      'product',
      'recipe',
      'documentation',
      'discussion',
      'listing',
    ])
    const url = URL.parse(page.finalUrl)
    const isLinkedIn =
      /(?:^|\.)linkedin\.com$/.test(url?.hostname ?? '') || /\|\s*LinkedIn\s*$/.test(page.text('title') ?? '')
    if (isLinkedIn || hasAny(page, parts)) return fits
    if (other) return other
    const isProfile = page.kind().kind === 'other' && page.things('Person').length === 1
    return isProfile ? fits : byShape(page)
  })
