// The shop: departments with pagination, and a page for each product.
import { type Catalogue, type Category, categories, type Product } from '../catalogue.ts'
import { type Html, html, jsonLd, nothing } from '../html.ts'
import { isoDay, layout } from '../layout.ts'
import { writePrice } from '../money.ts'
import { numberIn, page, type Reply, type Route, type Visit } from '../route.ts'
import { notFound } from './not-found.ts'

const productsPerPage = 10

export function shopRoutes(catalogue: Catalogue): Route[] {
  return [
    { path: '/categories', answer: visit => page(departments(visit, catalogue)) },
    { path: '/categories/:slug', answer: (visit, slug) => department(visit, catalogue, slug) },
    { path: '/products/:slug', answer: (visit, slug) => productPage(visit, catalogue, slug) },
  ]
}

function departments(visit: Visit, catalogue: Catalogue): Html {
  const rows = categories.map(
    category => html`<tr><td><a href="/categories/${category.slug}">${category.name}</a></td>
<td>${catalogue.inCategory(category).count}</td></tr>`,
  )
  return layout(visit, {
    title: 'Departments',
    description: 'All departments of the shop.',
    canonical: '/categories',
    crumbs: [
      ['Home', '/'],
      ['Shop', '/categories'],
    ],
    main: html`<h1>Departments</h1>
<table><thead><tr><th>Department</th><th>Products</th></tr></thead><tbody>${rows}</tbody></table>`,
  })
}

function department(visit: Visit, catalogue: Catalogue, slug: string): Reply {
  const category = categories.find(each => each.slug === slug)
  const number = Math.max(1, Math.floor(numberIn(visit, 'page', 1)))
  const shelf = category && catalogue.inCategory(category)
  const products = shelf?.page((number - 1) * productsPerPage, productsPerPage) ?? []
  if (!category || !shelf || (products.length === 0 && number > 1)) return notFound(visit)
  const pages = Math.max(1, Math.ceil(shelf.count / productsPerPage))
  return page(shelfPage(visit, category, products, number, pages))
}

function shelfPage(
  visit: Visit,
  category: Category,
  products: Product[],
  number: number,
  pages: number,
): Html {
  const path = `/categories/${category.slug}`
  const at = (page: number) => (page === 1 ? path : `${path}?page=${page}`)
  const previous = number > 1 ? html`<link rel="prev" href="${at(number - 1)}">` : nothing
  const next = number < pages ? html`<link rel="next" href="${at(number + 1)}">` : nothing
  return layout(visit, {
    title: number === 1 ? category.name : `${category.name}, page ${number}`,
    description: `${category.name} of the shop, page ${number} of ${pages}.`,
    canonical: at(number),
    crumbs: [
      ['Home', '/'],
      ['Shop', '/categories'],
      [category.name, path],
    ],
    head: html`${previous}${next}`,
    main: html`<h1>${category.name}</h1>
<ul class="grid products">${products.map(productCard)}</ul>
<nav aria-label="Pages" class="pagination"><p>Page ${number} of ${pages}
${number > 1 ? html`<a rel="prev" href="${at(number - 1)}">Previous</a>` : nothing}
${number < pages ? html`<a rel="next" href="${at(number + 1)}">Next</a>` : nothing}</p></nav>`,
  })
}

export function productCard(product: Product): Html {
  return html`<li class="card product"><a href="/products/${product.slug}"><img src="${imageOf(product)}" alt="${product.name}"
width="320" height="200" loading="lazy"><span class="name">${product.name}</span></a>
<div class="price">${writePrice(product.cents, product.currency)}</div></li>`
}

function productPage(visit: Visit, catalogue: Catalogue, slug: string): Reply {
  const product = catalogue.bySlug(slug)
  if (!product) return notFound(visit)
  const path = `/products/${product.slug}`
  const { category } = product
  const content = layout(visit, {
    title: product.name,
    description: product.description,
    canonical: path,
    openGraphType: 'product',
    image: imageOf(product),
    crumbs: [
      ['Home', '/'],
      [category.name, `/categories/${category.slug}`],
      [product.name, path],
    ],
    head: jsonLd(productData(visit, product)),
    main: productMain(product, catalogue.related(product)),
  })
  return page(content)
}

function productMain(product: Product, related: Product[]): Html {
  const was =
    product.wasCents === null
      ? nothing
      : html`<del class="was">${writePrice(product.wasCents, product.currency)}</del>`
  return html`<article class="product" data-sku="${product.sku}">
<h1>${product.name}</h1>
<img src="${imageOf(product)}" alt="${product.name} by ${product.brand}" width="320" height="200">
<p><span class="price">${writePrice(product.cents, product.currency)}</span> ${was}</p>
<p class="brand">by <span class="brand-name">${product.brand}</span></p>
<p class="stock">${product.inStock ? 'In stock' : 'Sold out'}</p>
<p class="rating"><span class="rating-value">${product.rating}</span> of 5, ${product.reviews} reviews</p>
<ul class="tags">${product.tags.map(tag => html`<li class="tag">${tag}</li>`)}</ul>
<h2>Description</h2>
<p class="description">${product.description}</p>
<h2>Specifications</h2>
<table class="specs"><tbody>${product.specs.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`)}</tbody></table>
<p>Last changed <time datetime="${isoDay(product.updatedAt)}">${isoDay(product.updatedAt)}</time></p>
</article>
<h2 id="related">Goes well with</h2>
<ul class="related">${related.map(({ slug, name }) => html`<li><a href="/products/${slug}">${name}</a></li>`)}</ul>`
}

function productData(visit: Visit, product: Product): Record<string, unknown> {
  return {
    '@type': 'Product',
    sku: product.sku,
    name: product.name,
    description: product.description,
    image: `${visit.origin}${imageOf(product)}`,
    brand: { '@type': 'Brand', name: product.brand },
    category: product.category.name,
    offers: {
      '@type': 'Offer',
      price: (product.cents / 100).toFixed(2),
      priceCurrency: product.currency,
      availability: `https://schema.org/${product.inStock ? 'InStock' : 'OutOfStock'}`,
    },
    aggregateRating: {
      '@type': 'AggregateRating',
      ratingValue: product.rating,
      reviewCount: product.reviews,
    },
  }
}

function imageOf(product: Product): string {
  return `/images/products/${product.number}.svg`
}
