// Query parameters of lists.
import * as z from 'zod'

/** Query parameters of every list: page size and cursor. */
export const pageQuery = {
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  cursor: z.string().min(1).max(500).optional().describe('`next_cursor` of the previous page.'),
}
