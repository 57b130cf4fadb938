// No code at all: fields of a product page by rules. `each`, types and the rest are in docs/extraction-rules.md.
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
