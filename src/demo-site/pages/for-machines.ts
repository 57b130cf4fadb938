// Files for programs: robots.txt, sitemaps, llms.txt.
import { gzipSync } from 'node:zlib'
import { articles, positions } from '../articles.ts'
import { type Catalogue, categories } from '../catalogue.ts'
import { isoDay } from '../layout.ts'
import { file, type Reply, type Route, type Visit } from '../route.ts'
import { notFound } from './not-found.ts'

/** Maximum number of URLs per sitemap. It is small, so that a shop of 20,001 products has an index with several sitemaps. */
const urlsPerSitemap = 10_000

interface RobotsOptions {
  /** The crawl delay in robots.txt, in seconds; 0 leaves the line out. */
  crawlDelaySeconds: number
}

export function machineRoutes(catalogue: Catalogue, options: RobotsOptions): Route[] {
  return [
    { path: '/robots.txt', answer: visit => file('text/plain; charset=utf-8', robots(visit, options)) },
    { path: '/sitemap.xml', answer: visit => file('application/xml', sitemapIndex(visit, catalogue)) },
    {
      path: '/sitemap-pages.xml',
      answer: visit =>
        file(
          'application/xml',
          sitemap(
            visit,
            pagePaths().map(path => [path]),
          ),
        ),
    },
    { path: '/sitemap-products-:file', answer: (visit, name) => productSitemap(visit, catalogue, name) },
    { path: '/llms.txt', answer: visit => file('text/plain; charset=utf-8', llms(visit)) },
  ]
}

function robots(visit: Visit, { crawlDelaySeconds }: RobotsOptions): string {
  const delay = crawlDelaySeconds > 0 ? `Crawl-delay: ${crawlDelaySeconds}\n` : ''
  return `# Come in, but leave the ledger alone.
User-agent: *
Allow: /
Disallow: /private/
${delay}
User-agent: unwelcome-bot
Disallow: /

Sitemap: ${visit.origin}/sitemap.xml
`
}

function sitemapIndex(visit: Visit, catalogue: Catalogue): string {
  const files = Array.from(
    { length: Math.ceil(catalogue.size / urlsPerSitemap) },
    (_, index) => `/sitemap-products-${index + 1}.xml.gz`,
  )
  const rows = ['/sitemap-pages.xml', ...files].map(
    path => `<sitemap><loc>${visit.origin}${path}</loc></sitemap>`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>
<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${rows.join('\n')}
</sitemapindex>
`
}

function pagePaths(): string[] {
  const shelves = categories.map(({ slug }) => `/categories/${slug}`)
  const posts = articles.map(({ slug }) => `/blog/${slug}`)
  const jobs = positions.map(({ slug }) => `/jobs/${slug}`)
  return [
    '/',
    '/de/',
    '/about',
    '/de/about',
    '/contact',
    '/categories',
    ...shelves,
    '/blog/',
    ...posts,
    '/jobs',
    ...jobs,
  ]
}

function productSitemap(visit: Visit, catalogue: Catalogue, name: string): Reply {
  const number = Number(/^(\d+)\.xml\.gz$/.exec(name)?.[1] ?? 0)
  const from = (number - 1) * urlsPerSitemap
  if (number < 1 || from >= catalogue.size) return notFound(visit)
  const rows = Array.from(
    { length: Math.min(urlsPerSitemap, catalogue.size - from) },
    (_, index): [string, Date] => {
      const product = catalogue.product(from + index + 1)
      return [`/products/${product.slug}`, product.updatedAt]
    },
  )
  return file('application/gzip', gzipSync(sitemap(visit, rows)))
}

function sitemap(visit: Visit, rows: (readonly [path: string, changed?: Date])[]): string {
  const urls = rows.map(([path, changed]) => {
    const changedOn = changed ? `<lastmod>${isoDay(changed)}</lastmod>` : ''
    return `<url><loc>${visit.origin}${path}</loc>${changedOn}</url>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.join('\n')}
</urlset>
`
}

function llms(visit: Visit): string {
  const shelves = categories.map(({ slug, name }) => `- [${name}](${visit.origin}/categories/${slug})`)
  return `# Kestrel & Pine

> A made-up shop to try crawlers on. Every page is the same on every visit.

## Departments

${shelves.join('\n')}

## More

- [Blog](${visit.origin}/blog/)
- [Jobs](${visit.origin}/jobs)
- [Products as JSON](${visit.origin}/api/products)
`
}
