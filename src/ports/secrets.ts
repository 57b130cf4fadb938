// Secrets: credentials by name, or by workspace and provider. They are read when used, and never logged or stored in plain text.

/**
 * Secrets by name (`SHOP_PASSWORD`). `get` returns null if the name is unknown. Guarantees:
 * - The implementation never logs, stores or puts a value into an error. Callers must not do so either.
 * - It may cache values. A process that starts after a secret changed gets the new value.
 */
export interface Secrets {
  get(name: string): Promise<string | null>
  /** The known names, for suggestions. Never the values. */
  names(): Promise<string[]>
}

/** Fields of a credential by name: `username`, `password`, `api_key`, … */
export type Credential = Readonly<Record<string, string>>

/**
 * Credentials of a workspace for a provider (a site or service with a login). Guarantees:
 * - Throws `credential.not-found` if no credential is stored, `credential.unavailable` if the backend does not respond.
 * - Values stay in memory for a few minutes. They are never logged, stored or put into an error.
 */
export interface Credentials {
  get(workspace: string, provider: string, signal: AbortSignal): Promise<Credential>
}

/** Encrypts secrets before they are stored. Text that is sealed for one owner can be opened only for that owner. */
export interface Sealer {
  seal(text: string, owner: string): string
  /** Throws `secret.missing` if the text was sealed with another key or for another owner. */
  open(sealed: string, owner: string): string
}
