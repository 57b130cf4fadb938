// Takes the title from the structured data of the page, or else from its heading. `validate` refuses pages that are not posts.
import * as z from 'zod'
import { defineScraper } from '../../../src/index.ts'

export default defineScraper({
  id: 'blog-post',
  version: '1',
  name: 'Blog post',
  description: 'A post of the demo shop’s blog, with its text as markdown.',
  input: z.object({ url: z.url() }),
  output: z.object({
    title: z.string().nullable(),
    author: z.string().nullable(),
    published: z.string().nullable(),
    markdown: z.string(),
  }),
  policy: { host: { rate: 5 } },

  async run({ open, emit, normalize }) {
    const page = await open()
    const [post] = page.things('Article')
    emit({
      title: normalize.text(post?.properties.headline ?? page.text('h1')),
      author: page.text('[rel=author]') ?? page.meta('author'),
      published: normalize.date(page.meta('article:published_time')),
      markdown: page.markdown(),
    })
  },

  validate: ([record]) => (record?.published ? null : 'no date of publication; this is not a post'),
})
