// Registers all tools. Page content is always marked untrusted, and nothing in a page starts a tool.
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { addCrawl, addResults, addSearch, addStatus } from './job-tools.ts'
import type { ToolContext } from './jobs.ts'
import { addExtract, addMap, addScrape } from './page-tools.ts'

export function addTools(mcp: McpServer, context: ToolContext, usualChars: number): void {
  addScrape(mcp, context, usualChars)
  addCrawl(mcp, context)
  addMap(mcp, context, usualChars)
  addExtract(mcp, context)
  addStatus(mcp, context)
  addResults(mcp, context, usualChars)
  addSearch(mcp, context, usualChars)
}
