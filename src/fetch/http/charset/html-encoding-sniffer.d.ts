// Types for a package that has none.
declare module 'html-encoding-sniffer' {
  interface Options {
    xml?: boolean
    transportLayerEncodingLabel?: string
    defaultEncoding?: string
    /** Number of bytes to search for `<meta charset>`. Default: 1,024. */
    maxPrescanBytes?: number
  }
  /** Returns the canonical name of the encoding, such as `UTF-8`. */
  export default function sniff(bytes: Uint8Array, options?: Options): string
}
