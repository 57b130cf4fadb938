// Credentials from local secrets: `SHOP_USERNAME` and `SHOP_PASSWORD` become the fields `username` and `password` of provider
// `shop`.
import { Failure } from '../../model/failures.ts'
import type { Credential, Credentials, Secrets } from '../../ports/secrets.ts'

/** Only `ownWorkspace` gets these credentials, because local secrets belong to the operator. */
export function localCredentials(secrets: Secrets, ownWorkspace: string): Credentials {
  return {
    async get(workspace, provider) {
      const found = workspace === ownWorkspace ? await fieldsOf(secrets, provider) : {}
      if (Object.keys(found).length > 0) return found
      throw new Failure(
        'credential.not-found',
        `workspace "${workspace}" has no credentials for "${provider}"; ${wayOut(workspace === ownWorkspace, provider)}`,
        { workspace, provider },
      )
    },
  }
}

async function fieldsOf(secrets: Secrets, provider: string): Promise<Credential> {
  const prefix = `${prefixOf(provider)}_`
  const names = (await secrets.names()).filter(name => name.startsWith(prefix) && name.length > prefix.length)
  const values = await Promise.all(names.map(name => secrets.get(name)))
  const fields = names.map((name, index) => [name.slice(prefix.length).toLowerCase(), values[index] ?? ''])
  return Object.freeze(Object.fromEntries(fields))
}

/** The provider in the form of a variable name: `my-shop.example` becomes MY_SHOP_EXAMPLE. */
const prefixOf = (provider: string): string => provider.toUpperCase().replace(/[^A-Z0-9]+/g, '_')

const wayOut = (isOwn: boolean, provider: string): string =>
  isOwn
    ? `set SCRAPER_SECRET_${prefixOf(provider)}_PASSWORD and similar variables, write them into secrets.env, or name a backend with SCRAPER_CREDENTIALS_URL`
    : 'local secrets apply only to the default workspace; for other workspaces, name a backend with SCRAPER_CREDENTIALS_URL'

/** Uses the first source that has the credentials. Only the error "not found" continues with the next source. */
export function firstOf(all: readonly Credentials[]): Credentials {
  return {
    async get(workspace, provider, signal) {
      let last: unknown
      for (const credentials of all)
        try {
          return await credentials.get(workspace, provider, signal)
        } catch (error) {
          if (!(error instanceof Failure) || error.code !== 'credential.not-found') throw error
          last = error
        }
      throw last
    },
  }
}
