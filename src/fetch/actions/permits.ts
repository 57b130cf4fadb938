// Pauses every navigation of a page until `before` permits it. This includes navigations by clicks, scripts and
// redirects.
import type { Page } from 'playwright-core'
import type { ActionRun } from './run.ts'

interface Paused {
  requestId: string
  frameId: string
  request: { url: string }
}

/** Pauses only documents, so that other requests are not slowed down. Calls `refuse` with the reason when a navigation
 *  is not permitted. */
export async function holdNavigations(
  run: ActionRun,
  page: Page,
  before: (url: string) => Promise<void>,
  refuse: (reason: unknown) => void,
): Promise<void> {
  const session = await run.session(page)
  const { frameTree } = await session.send('Page.getFrameTree')
  const answer = (method: 'Fetch.continueRequest' | 'Fetch.failRequest', params: object) =>
    // Ignore errors: the page may have been closed meanwhile.
    void session.send(method, params as never).catch(() => {})
  session.on('Fetch.requestPaused', ({ requestId, frameId, request }: Paused) => {
    const asked = frameId === frameTree.frame.id ? before(request.url) : Promise.resolve()
    asked.then(
      () => answer('Fetch.continueRequest', { requestId }),
      reason => {
        answer('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
        refuse(reason)
      },
    )
  })
  await session.send('Fetch.enable', { patterns: [{ resourceType: 'Document', requestStage: 'Request' }] })
}
