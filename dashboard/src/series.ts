// A series of a chart: values over time, with a name and a colour.

export interface Series {
  name: string
  /** A colour of the style sheet, like `--bar-ok`. */
  colour: string
  values: number[]
}
