// What a chart draws: values over time, each with a name and a colour.

export interface Series {
  name: string
  /** A colour of the style sheet, like `--bar-ok`. */
  colour: string
  values: number[]
}
