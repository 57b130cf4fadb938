interface Output {
  text?: string
  markdown?: string
  fields?: object
}

export function readable(html: string, asMarkdown: boolean): Output
export function defuddled(html: string, url: string, asMarkdown: boolean): Promise<Output>
