// Erasure: what stays of a task whose data was erased.

/** Replaces the URL of an erased task; the name is reserved by RFC 6761. */
export const erasedPlace = { host: 'erased.invalid', url: 'https://erased.invalid/' }
