// The package brings no types of its own.
declare module 'html-encoding-sniffer' {
  interface Options {
    xml?: boolean
    transportLayerEncodingLabel?: string
    defaultEncoding?: string
    /** Where to stop looking for `<meta charset>`; 1,024 unless told. */
    maxPrescanBytes?: number
  }
  /** The canonical name of the encoding, e.g. `UTF-8`. */
  export default function sniff(bytes: Uint8Array, options?: Options): string
}
