// Parses words for yes and no, including stock status and schema.org availability.

const yes = new Set(
  [
    [
      'true',
      'yes',
      'y',
      '1',
      'on',
      'checked',
      'enabled',
      'active',
      'ja',
      'oui',
      'sí',
      'si',
      'sim',
      'да',
      'tak',
      'ano',
    ],
    ['✓', '✔', '☑', '✅', '是', 'はい', 'available', 'in stock', 'instock', 'instoreonly', 'onlineonly'],
    ['limitedavailability', 'preorder', 'auf lager', 'lieferbar', 'verfügbar', 'en stock', 'disponible'],
    ['disponibile', 'op voorraad', 'i lager', 'på lager', 'в наличии', 'em estoque'],
  ].flat(),
)

const no = new Set(
  [
    [
      'false',
      'no',
      'n',
      '0',
      'off',
      'none',
      'disabled',
      'inactive',
      'nein',
      'nee',
      'non',
      'não',
      'nej',
      'nei',
      'нет',
    ],
    [
      'nie',
      '✗',
      '✘',
      '✕',
      '☐',
      '❌',
      '否',
      'いいえ',
      'unavailable',
      'not available',
      'out of stock',
      'outofstock',
    ],
    ['sold out', 'soldout', 'discontinued', 'ausverkauft', 'nicht verfügbar', 'nicht lieferbar', 'épuisé'],
    ['agotado', 'esaurito', 'uitverkocht', 'slutsåld', 'udsolgt', 'utsolgt', 'нет в наличии', 'esgotado'],
  ].flat(),
)

/** True or false; null if the text means neither. For `https://schema.org/InStock`, only the last part counts. */
export function parseBoolean(text: string): boolean | null {
  const word = text
    .toLowerCase()
    .replace(/^https?:\/\/schema\.org\//, '')
    .replace(/[.!]+$/, '')
    .trim()
  if (yes.has(word)) return true
  return no.has(word) ? false : null
}
