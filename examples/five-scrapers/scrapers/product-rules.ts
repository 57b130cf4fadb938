// Extracts the fields of a product page with rules, without code. docs/extraction-rules.md describes `each`, types and all other keys.
import { defineScraper } from '../../../src/index.ts'

export default defineScraper({
  id: 'product-rules',
  version: '1',
  name: 'Product, by rules',
  description: 'Name, price, stock and tags of a product of the demo shop.',
  rules: {
    fields: {
      name: { css: 'article.product h1', required: true },
      price: { css: '.price', as: 'money' },
      rating: { css: '.rating-value', as: 'number' },
      in_stock: { css: '.stock', as: 'boolean' },
      tags: { css: '.tag', many: true },
    },
  },
})
