// The website of docs/: `kscrape serve` shows it at /guide. Its menu is the index in docs/README.md.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const docs = join(root, 'docs')

/** GitHub shows README.md as the page of a folder. */
const rewrites = { 'README.md': 'index.md', 'runbooks/README.md': 'runbooks/index.md' }

export default defineConfig({
  // `pages` is a link to docs/. If this were docs/ itself, Vite would not find the packages of this folder.
  srcDir: 'pages',
  vite: {
    resolve: { preserveSymlinks: true },
    // The tsconfig.json of the program does not apply here.
    esbuild: { tsconfigRaw: {} },
    // The search index is large, but a browser loads it only with the first search.
    build: { chunkSizeWarningLimit: 2_000 },
    logLevel: 'error',
  },
  outDir: join(root, 'dist/guide'),
  cacheDir: join(root, 'guide/node_modules/.vitepress'),
  base: '/guide/',
  lang: 'en',
  title: 'kscrape',
  description: 'How to use and operate K-Scrape Nexus',
  rewrites,
  // An empty icon: otherwise browsers request /favicon.ico, which is not part of the guide.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  // One script with the names of all pages, instead of a copy in every page.
  metaChunk: true,
  markdown: { html: false, config: adaptMarkdown },
  themeConfig: {
    search: { provider: 'local' },
    sidebar: sidebarOf(readFileSync(join(docs, 'README.md'), 'utf8')),
    outline: [2, 3],
  },
})

/** Our Markdown is GitHub's: no Vue in texts, and links to files of the repository. */
function adaptMarkdown(md) {
  const render = md.renderer.render.bind(md.renderer)
  md.renderer.render = (...given) => render(...given).replaceAll('{{', '&#123;&#123;')
  md.core.ruler.push('links-of-the-repository', ({ tokens, env }) => {
    for (const { children } of tokens) if (children) unlinkOutside(children, dirname(env.relativePath ?? ''))
  })
}

/** Files outside docs/ are not part of the guide: their names stay, without a link. */
function unlinkOutside(tokens, folder) {
  let isOutside = false
  for (const token of tokens)
    if (token.type === 'link_open') {
      const href = token.attrGet('href') ?? ''
      isOutside = !/^([a-z]+:|#)/.test(href) && posix.join(folder, href).startsWith('..')
      if (isOutside) Object.assign(token, { type: 'text', content: '', attrs: null })
    } else if (token.type === 'link_close' && isOutside) {
      Object.assign(token, { type: 'text', content: '' })
      isOutside = false
    }
}

function titleOf(path) {
  return /^# (.+)$/m.exec(readFileSync(join(docs, path), 'utf8'))?.[1] ?? path
}

/** A section per heading of the index, with the pages that its table links. */
function sidebarOf(index) {
  const sections = index.split(/^## /m).slice(1)
  return sections.map((section, at) => ({
    text: section.split('\n')[0],
    collapsed: at > 0,
    items: [...new Set([...section.matchAll(/\]\(([\w/.-]+\.md)\)/g)].map(([, path]) => path))]
      .filter(path => existsSync(join(docs, path)) && !path.startsWith('..'))
      .map(path => ({ text: titleOf(path), link: `/${path.replace(/(README)?\.md$/, '')}` })),
  }))
}
