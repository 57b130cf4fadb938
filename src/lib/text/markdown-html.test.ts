// Tests which HTML in Markdown is escaped, even if a page tries to prevent that.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutHtml } from './markdown-html.ts'

const hostile = '<img src=x onerror=alert(1)>'

test('text that looks like a tag stays text', () => {
  for (const [given, wanted] of [
    [hostile, '&lt;img src=x onerror=alert(1)>'],
    ['a <b>b</b> <!-- c --> <?php ?> </p>', 'a &lt;b>b&lt;/b> &lt;!-- c --> &lt;?php ?> &lt;/p>'],
    ['\\<img>', '\\<img>'],
    ['\\\\<img>', '\\\\&lt;img>'],
    ['1 < 2 <3 <- x', '1 < 2 <3 <- x'],
    ['<https://a.example/?q=1>', '<https://a.example/?q=1>'],
    ['<javascript:alert(1)>', '&lt;javascript:alert(1)>'],
  ])
    assert.equal(withoutHtml(given!), wanted)
})

test('code in Markdown keeps its characters', () => {
  for (const code of [
    'Use `<b>` here',
    'Use ``a ` <b>`` here',
    '```html\n<b>\n\n<i>\n```',
    'x\n\n> ```\n> <b>\n> ```',
    '- ```\n  <b>\n  ```',
    '```\n<b>\n```\n\ntext\n\n```\n<i>\n```',
    '> ```\n> <b>\n>\n> <i>\n> ```',
  ])
    assert.equal(withoutHtml(code), code)
})

test('text that only resembles code cannot hide markup', () => {
  for (const trick of [
    `a \` b\n${hostile} \``,
    `| a \` | ${hostile} \` |`,
    `\\\`${hostile}\``,
    `> \`\`\`\n${hostile}`,
    `- \`\`\`\n${hostile}`,
    `text\n5. \`\`\`\n   ${hostile}`,
    `\`\`\` a\`b\n${hostile}`,
    `\`\`\`\n\`\`\`\n${hostile}`,
    `~~~\n~~~~\n${hostile}`,
    `\`\`a\` ${hostile}`,
    // In these cases, a Markdown renderer starts or ends a code block, but a simple parser does not.
    `text\n\`\`\`\n\n\`\`\`\n${hostile}`,
    `\`\`\`\n    \`\`\`\n\n\`\`\`\n${hostile}`,
    `  \`\`\`\nx\n\n  \`\`\`\n${hostile}`,
  ])
    assert.doesNotMatch(withoutHtml(trick), /<img/, trick)
})

test('runs of backticks of every length are parsed quickly', () => {
  const runs = Array.from({ length: 1_000 }, (_, index) => `${'`'.repeat(index + 1)} `).join('')
  assert.doesNotMatch(withoutHtml(`${runs}${hostile}`), /<img/)
})
