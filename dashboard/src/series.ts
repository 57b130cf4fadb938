// A series of a chart: values over time, with a name and a colour.

export interface Series {
  name: string
  /** A colour variable of the style sheet, such as `--bar-ok`. */
  colour: string
  values: number[]
}
