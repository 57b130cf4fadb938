// Gives back what was asked, for whoever wants to see what a request looks like on the other side.
import { json, type Route, type Visit } from '../route.ts'

export const echoRoutes: Route[] = [{ path: '/echo', answer: visit => json(echo(visit)) }]

const echo = (visit: Visit) => ({
  method: visit.method,
  url: visit.url.href,
  args: Object.fromEntries(visit.url.searchParams),
  form: Object.fromEntries(visit.form),
  headers: visit.headers,
})
