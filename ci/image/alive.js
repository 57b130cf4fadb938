// Exits with 0 if the process in an image answers: on its health port if it has one, else on the port of the service.
const { SCRAPER_HEALTH_PORT, SCRAPER_PORT, SCRAPER_HOST = '' } = process.env
const port = SCRAPER_HEALTH_PORT || SCRAPER_PORT || '8001'
const host = ['', '0.0.0.0', '::'].includes(SCRAPER_HOST) ? '127.0.0.1' : SCRAPER_HOST
const { ok } = await fetch(`http://${host}:${port}/healthz`, { signal: AbortSignal.timeout(4_000) })
process.exitCode = ok ? 0 : 1
