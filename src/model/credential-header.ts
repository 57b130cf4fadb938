// Headers that usually contain credentials. Sending one needs the consent `credentials`.

export const isCredentialHeader = (name: string): boolean =>
  /authorization|cookie|token|secret|api-?key|passw|session|credential|-auth\b/i.test(name)
