// Values with labels on shop pages: the product number and the brand.
import type { Line } from '../../model/page/line.ts'
import type { PageView } from '../page-view.ts'
import { headingIndex } from './heading.ts'
import type { Candidate } from './pick.ts'

/** Labels of the shop's own number; MPN, GTIN, EAN and UPC are not included. */
const numberLabel =
  /(?:sku|asin|(?:ebay )?(?:product|item|article|catalog(?:ue)?|stock|style|order|listing|post(?:ing)?|ad)\s?(?:code|no\.?|nr\.?|number|num\.?|id|ref(?:erence)?\.?|#)|ref(?:erence)?\.?|réf(?:érence)?\.?|code (?:article|produit)|art(?:ikel)?\.?[\s-]?(?:nr\.?|nummer|no\.?|code)|bestell-?\s?(?:nr\.?|nummer)|produkt-?(?:nr\.?|nummer)|vare-?(?:nr\.?|nummer)|tuote(?:numero|koodi)|tootekood|prekės kodas|preces kods|cód(?:igo)?\.?(?: d[eo]l? (?:producto|produto|artículo))?|referencia|referência|cod(?:ice)?\.? (?:prodotto|articolo|produs)|numero oggetto(?: ebay)?|ebay-artikelnummer|numéro de l'objet(?: ebay)?|kod produktu|nr katalogowy|indeks|kód(?: (?:tovaru|produktu|zboží))?|katalogové číslo|objednací (?:číslo|kód)|cikkszám|termékkód|šifra(?: (?:artikla|izdelka|proizvoda))?|артикул|код(?: товара| товару)?|арт\.|stok kodu|ürün kodu|κωδικός(?: προϊόντος)?|קוד מוצר|מק"ט|رقم المنتج|商品編號|商品番号|品番|商品コード|货号|商品编号|상품 ?(?:번호|코드)|kode produk|mã sản phẩm|รหัสสินค้า)/
const brandLabel =
  /(?:brand(?: name)?|marke|marca|marque|merk|märke|mærke|merke|varumärke|tuotemerkki|kaubamärk|značka|marka|márka|blagovna znamka|(?:make\s?\/\s?)?manufacturer|hersteller|fabricante?|fabricant|produttore|producent|výrobca|výrobce|gyártó|proizvajalec|proizvođač|producător|tootja|valmistaja|бренд|марка|производитель|виробник|üretici|μάρκα|κατασκευαστής|מותג|יצרן|العلامة التجارية|ブランド|メーカー|品牌|브랜드|제조사|thương hiệu|ยี่ห้อ)/

const whole = (label: RegExp) => new RegExp(`^${label.source}\\s?[:：#]?$`, 'iu')
const within = (label: RegExp, value: string) =>
  new RegExp(`(?<![\\p{L}\\p{N}])${label.source}\\s?(?:[:：#]|\\s)\\s?#?\\s?(${value})`, 'iu')

const number = '[A-Z0-9](?:[A-Z0-9]|[./_-](?=[A-Z0-9])){2,29}'
const numberAlone = new RegExp(`^#?(${number})$`, 'iu')
const numberLabelAlone = whole(numberLabel)
const labelledNumber = within(numberLabel, number)
const brandLabelAlone = whole(brandLabel)
const labelledBrand = new RegExp(`^${brandLabel.source}\\s?[:：]\\s?(.{2,60})$`, 'iu')
/** Texts of links to brand pages on marketplaces. */
const brandStore =
  /^(?:visit the (.{2,50}) store|besuchen? sie den (.{2,50})-store|visiter la boutique (.{2,50})|visita lo store di (.{2,50})|visita la tienda de (.{2,50})|shop (?:all )?(.{2,50}) products|bezoek de (.{2,50})-store|besök (.{2,50})-butiken|odwiedź sklep (.{2,50}))$/iu

const longestLine = 120
/** The product's facts are searched in `below` lines, which start `above` lines before the heading. */
const above = 15
const below = 400

function near(page: PageView): Line[] {
  const lines = page.lines()
  const heading = headingIndex(page, lines)
  const start = heading === -1 ? 0 : Math.max(0, heading - above)
  return lines.slice(start, start + below)
}

/** A product number contains a digit: "Ref : none" has no number. */
const isNumber = (text: string | undefined): text is string =>
  text !== undefined && /\d/.test(text) && !/^\d{1,2}$/.test(text)

export function labelledNumbers(page: PageView): Candidate[] {
  const lines = near(page)
  const found = lines.flatMap(({ text }, index) => {
    if (text.length > longestLine) return []
    if (numberLabelAlone.test(text)) return numberAlone.exec(lines[index + 1]?.text ?? '')?.[1] ?? []
    return labelledNumber.exec(text)?.[1] ?? []
  })
  return found.filter(isNumber).map(value => ({ from: 'css', by: 'the label of the number', value }))
}

export function labelledBrands(page: PageView): Candidate[] {
  const lines = near(page)
  const found = lines.flatMap(({ text }, index) => {
    if (text.length > longestLine) return []
    if (brandLabelAlone.test(text)) return brandAlone(lines[index + 1])
    return labelledBrand.exec(text)?.[1] ?? brandStore.exec(text)?.slice(1).find(Boolean) ?? []
  })
  return found.map(value => ({ from: 'css', by: 'the label of the brand', value }))
}

/** A brand is a few words, not a sentence. */
const brandAlone = (line: Line | undefined): string[] =>
  line !== undefined && line.text.length <= 40 && !/[:.!?]\s|:$/.test(line.text) ? [line.text] : []

/** A number in the URL. It counts only if the page's data also names it as the product's number. */
export function numberInUrl(page: PageView): Candidate[] {
  const url = URL.parse(page.finalUrl)
  const found = [
    ...(url?.pathname.matchAll(/(?:^|[/_-])p?([A-Z0-9]{0,3}\d{5,14}[A-Z0-9]{0,3})(?=$|[/.])/gi) ?? []),
    ...(url?.search.matchAll(/[?&](?:pid|sku|id|product_?id|item)=([\w-]{4,20})(?=&|$)/gi) ?? []),
  ].map(match => match[1]!)
  const confirmed = found.filter(id =>
    new RegExp(
      `(?:sku|product_?(?:id|code|sku)|item_?id|article_?(?:id|number)|products?)["'\\]\\s:=>/\\\\]{1,8}${id}\\b`,
      'i',
    ).test(page.source),
  )
  return confirmed.map(value => ({ from: 'page', by: 'the number in the address', value }))
}
