// Secrets: credentials by name or by workspace and provider, read when they are used, never printed or kept in clear.

/**
 * Gives a credential by its name (`SHOP_PASSWORD`), or null where there is none of that name. Promises:
 * - What comes back is never logged, stored or put into an error by the implementation; whoever asked keeps to the same.
 * - A name that was asked for before may be answered from memory; a changed secret is seen by the next process at the latest.
 */
export interface Secrets {
  get(name: string): Promise<string | null>
  /** The names there are, for "did you mean": never the values. */
  names(): Promise<string[]>
}

/** Fields of a credential by name: `username`, `password`, `api_key`, … */
export type Credential = Readonly<Record<string, string>>

/**
 * Credentials of a workspace for a provider (a site or service that is logged in to). Promises:
 * - Throws `credential.not-found` where there is none, `credential.unavailable` where nobody can say now.
 * - What comes back is held in memory alone, for a few minutes; it is never logged, stored or put into an error.
 */
export interface Credentials {
  get(workspace: string, provider: string, signal: AbortSignal): Promise<Credential>
}

/** Keeps what must not lie about in clear: what is sealed for one owner can be opened for that owner alone. */
export interface Sealer {
  seal(text: string, owner: string): string
  /** Throws `secret.missing` for what was sealed with another key or for another owner. */
  open(sealed: string, owner: string): string
}
