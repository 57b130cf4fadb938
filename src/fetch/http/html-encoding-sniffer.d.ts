// The package has no types.
declare module 'html-encoding-sniffer' {
  interface Options {
    xml?: boolean
    transportLayerEncodingLabel?: string
    defaultEncoding?: string
    /** Where to stop searching for `<meta charset>`; default 1,024. */
    maxPrescanBytes?: number
  }
  /** The canonical name of the encoding, e.g. `UTF-8`. */
  export default function sniff(bytes: Uint8Array, options?: Options): string
}
