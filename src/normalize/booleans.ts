// Parses yes and no, with stock words and schema.org availability.

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

/** True, false, or null if neither. `https://schema.org/InStock` counts by its last part. */
export function parseBoolean(text: string): boolean | null {
  const word = text
    .toLowerCase()
    .replace(/^https?:\/\/schema\.org\//, '')
    .replace(/[.!]+$/, '')
    .trim()
  if (yes.has(word)) return true
  return no.has(word) ? false : null
}
