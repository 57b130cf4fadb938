// Prompts for the most frequent uses. A client offers them in a menu.
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import * as z from 'zod'

export function addPrompts(mcp: McpServer): void {
  mcp.registerPrompt(
    'answer_from_site',
    {
      title: 'Answer a question from a website',
      description:
        'Finds the pages of a site that matter for a question, reads them and answers with sources.',
      argsSchema: { url: site, question: z.string().describe('What you want to know.') },
    },
    ({ url, question }) =>
      said(
        `Answer this question from the website ${url}: ${question}\n\nUse "map" to list its URLs, choose the few that matter, read them with "scrape", and cite the URL of every statement. Say so if the site does not answer it.`,
      ),
  )
  mcp.registerPrompt(
    'extract_records',
    {
      title: 'Turn a page into records',
      description:
        'Finds selectors for the fields that you name and returns a record for each item of the page.',
      argsSchema: { url: site, fields: z.string().describe('Like "name, price, link".') },
    },
    ({ url, fields }) =>
      said(
        `Extract ${fields} from ${url}.\n\nRead the page with "scrape" first. Then call "extract" with "each" for the repeated element and "fields" with a selector for each field. If a field is empty in most records, correct its selector and try again. Show the records as a table.`,
      ),
  )
  mcp.registerPrompt(
    'crawl_site',
    {
      title: 'Crawl a site and summarize it',
      description: 'Crawls a site within a limit and summarizes what was found.',
      argsSchema: {
        url: site,
        max_pages: z.string().optional().describe('The most pages; 20 if not given.'),
      },
    },
    ({ url, max_pages: pages }) =>
      said(
        `Crawl ${url} with "crawl" (max_pages ${pages ?? '20'}), wait for its end with "job_status", and read the records with "job_results". Summarize what the site offers, and list pages that failed with their reasons.`,
      ),
  )
}

const site = z.string().describe('The URL of the site or page.')

const said = (text: string) => ({
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
})
