// Whether a product can be bought, in the terms of schema.org.
import type { Line } from '../../model/page/line.ts'
import type { Json } from '../../model/record.ts'
import type { PageView } from '../page-view.ts'
import { headingIndex } from './heading.ts'
import { type Candidate, meta, type Picked, textOf } from './pick.ts'
import { ofOffers, type ProductEntity } from './product-entity.ts'

/** The members of schema.org's ItemAvailability. */
export const availabilities = [
  'InStock',
  'OutOfStock',
  'SoldOut',
  'PreOrder',
  'PreSale',
  'BackOrder',
  'LimitedAvailability',
  'InStoreOnly',
  'OnlineOnly',
  'MadeToOrder',
  'Reserved',
  'Discontinued',
] as const
type Availability = (typeof availabilities)[number]

const plain = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '')
const byName = new Map<string, Availability>([
  ...availabilities.map(name => [plain(name), name] as const),
  ['available', 'InStock'],
  ['instock', 'InStock'],
  ['yes', 'InStock'],
  ['availablefororder', 'BackOrder'],
  ['oos', 'OutOfStock'],
  ['unavailable', 'OutOfStock'],
  ['notavailable', 'OutOfStock'],
  ['pending', 'PreOrder'],
])

/** Converts a value: `https://schema.org/InStock`, `in_stock` and "in stock" give `InStock`. Words of other languages work
 *  too. */
function readAvailability(found: Json): Availability | null {
  const text = textOf(found)?.trim() ?? ''
  if (text === '' || text.length > 60) return null
  return byName.get(plain(text.split(/[/#]/).at(-1)!)) ?? wordsOf(text)
}

const outWords =
  /out[ -]of[ -]stock|sold out|currently unavailable|temporarily unavailable|no longer (?:available|sold)|not (?:currently )?available|not in stock|ausverkauft|(?:derzeit |momentan )?nicht (?:auf lager|verfügbar|lieferbar|vorrätig|mehr (?:verfügbar|lieferbar))|vergriffen|épuisé|rupture de stock|indisponible|agotado|no disponible|sin (?:stock|existencias)|esgotado|indisponível|esaurito|non (?:è )?(?:attualmente )?disponibile|uitverkocht|niet (?:op voorraad|leverbaar|beschikbaar)|slutsåld|ej i lager|utsolgt|udsolgt|ikke på lager|loppuunmyyty|ei varastossa|niedostępn|brak w magazynie|wyprzedan|vyprodáno|vypredané|není skladem|nie je skladom|nedostupn|nincs (?:raktáron|készleten)|elfogyott|razprodano|ni na zalogi|rasprodano|nije dostup|stoc epuizat|indisponibil|нет в наличии|распродан|закончился|немає в наявності|изчерпан|няма наличност|tükendi|stokta yok|εξαντλ|μη διαθέσιμο|אזל|לא במלאי|غير متوفر|ناموجود|สินค้าหมด|hết hàng|stok habis|售完|缺貨|缺货|無貨|売り切れ|在庫切れ|品切れ|품절/iu
const inWords =
  /(?<![\p{L}])(?:in[ -]stock|only \d+ left|(?:\d+|immediately|now) available|available (?:now|immediately|from these sellers|for (?:delivery|immediate))|available|auf lager|sofort (?:lieferbar|verfügbar)|lieferbar|verfügbar|vorrätig|en stock|disponible|disponibile|disponibilità immediata|en existencia|em estoque|disponível|op voorraad|leverbaar|på lager|i lager|varastossa|laos|na sklad(?:e|ě)|skladem|skladom|dostępny|w magazynie|raktáron|készleten|na zalogi|na zalihi|dostupno|în stoc|в наличии|в наявності|на склад[еі]|налично|stokta|διαθέσιμο|σε απόθεμα|במלאי|متوفر|موجود|มีสินค้า|còn hàng|tersedia|ready stock|有貨|有货|現貨|现货|在庫あり|재고 있음)(?![\p{L}])/iu
const preWords = /pre-?order|vorbestell|précommande|preventa|pré-venda|předobjedn|предзаказ|予約/iu
const buyWords =
  /^(?:add (?:item )?to (?:my )?(?:cart|basket|bag|trolley|shopping (?:cart|bag|basket))|buy(?: it)? now|buy|in den (?:warenkorb|einkaufswagen)(?: legen)?|jetzt kaufen|ajouter au panier|acheter|aggiungi al carrello|acquista(?: ora)?|añadir (?:al carrito|a la (?:cesta|bolsa))|agregar al carr(?:it)?o|comprar(?: ahora| agora| ya)?|adicionar ao carrinho|in (?:de )?winkel(?:wagen|mandje|mand)|lägg i (?:varukorg(?:en)?|kundvagn(?:en)?)|köp|læg i kurv(?:en)?|legg i handlekurv(?:en)?|kjøp|lisää (?:ostos)?koriin|lisa (?:ostu)?korvi|(?:dodaj )?do koszyka|(?:vložiť |pridať )?do košíka|(?:vložit |přidat )?do košíku|koupit|kúpiť|kosárba(?: teszem)?|(?:dodaj )?v košarico|(?:dodaj )?u košaricu|kupi|adaugă în coș|(?:добавить )?в корзину|купить|(?:додати )?до кошика|купити|в количката|sepete ekle|satın al|(?:προσθήκη )?στο καλάθι|הוספ?ה? לסל|أضف إلى (?:السلة|العربة)|加入購物車|加入购物车|立即購買|立即购买|我要購買|カートに入れる|購入する|장바구니(?: 담기)?|구매하기|thêm vào giỏ(?: hàng)?|mua ngay|beli sekarang)[.!»›\s]*$/iu

/** Finds the availability in a line of text. "Out of stock" is checked first, because "not available" contains "available". */
function wordsOf(text: string): Availability | null {
  if (outWords.test(text)) return 'OutOfStock'
  if (preWords.test(text)) return 'PreOrder'
  return inWords.test(text) ? 'InStock' : null
}

/** Sorted from best to worst. A product is in stock if one of its variants is in stock. */
const order: Availability[] = [
  'InStock',
  'LimitedAvailability',
  'OnlineOnly',
  'InStoreOnly',
  'MadeToOrder',
  'BackOrder',
  'PreOrder',
  'PreSale',
  'Reserved',
  'OutOfStock',
  'SoldOut',
  'Discontinued',
]

export function availabilityOf(page: PageView, product: ProductEntity): Picked<Availability> {
  const declared = best(ofOffers(product, 'availability'))
  if (declared !== null) return declared
  const named = best(meta(page, 'product:availability', 'og:availability', 'availability'))
  if (named !== null) return named
  return (
    seen(page) ?? { value: null, source: { from: 'none', why: 'neither in the offers nor near the heading' } }
  )
}

function best(candidates: Candidate[]): Picked<Availability> | null {
  const read = candidates.flatMap(({ from, by, value }) => {
    const availability = readAvailability(value)
    return availability === null ? [] : [{ value: availability, source: { from, by } }]
  })
  const [first] = read.sort((one, other) => order.indexOf(one.value) - order.indexOf(other.value))
  return first ?? null
}

const longestLine = 80
const above = 25
const below = 60
const stockMarks =
  /(?:^|[\s_-])(?:\w*availab\w*|\w*stock\w*|out-?of-?stock|inventory|delivery-?status|lager\w*|dostupnost|verf\w*gbarkeit)(?=$|[\s_-])/
const otherWords =
  /image|bild|immagine|photo|foto|imagen|colou?r|size|store|filial|delivery|versand|livraison|payment|plan|option|language|review/iu

/** Availability from the lines around the heading: words about stock, or an add-to-cart button. */
function seen(page: PageView): Picked<Availability> | null {
  const lines = page.lines()
  const heading = Math.max(0, headingIndex(page, lines))
  const near = lines.slice(Math.max(0, heading - above), heading + below).filter(({ isBeside }) => !isBeside)
  const by = 'the lines around the heading'
  const marked = near
    .filter(line => line.text.length <= longestLine && stockMarks.test(line.marks))
    .map(stockOf)
  const plainly = near.filter(isAboutStock).map(stockOf)
  const value = [...marked, ...plainly].find(found => found !== null) ?? null
  if (value !== null) return { value, source: { from: 'css', by } }
  const canBuy = near.some(({ text }) => buyWords.test(text)) || hasBuyButton(page)
  return canBuy ? { value: 'InStock', source: { from: 'css', by: 'the button to buy' } } : null
}

const isAboutStock = ({ text, marks }: Line): boolean =>
  text.length <= longestLine / 2 &&
  !otherWords.test(text) &&
  !/delivery|shipping|image|media|review/.test(marks)
const stockOf = ({ text }: Line): Availability | null => wordsOf(text)

function hasBuyButton(page: PageView): boolean {
  const names = [
    'button-cart',
    'btn-cart',
    'add-to-cart',
    'addtocart',
    'add_to_cart',
    'add-to-basket',
    'addtobasket',
    'add-to-bag',
  ]
  const selector = names
    .flatMap(name =>
      ['id', 'class', 'name', 'data-test', 'data-action'].map(attribute => `[${attribute}*="${name}" i]`),
    )
    .flatMap(match => [`button${match}:not([disabled])`, `input${match}:not([disabled])`])
  return page.attr(selector.join(', '), 'class') !== null || page.text(selector.join(', ')) !== null
}
