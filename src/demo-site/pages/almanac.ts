// An almanac of fifty days: the server renders nine of ten entries, a script in the page renders the tenth.
import { html } from '../html.ts'
import { file, json, page, type Route } from '../route.ts'

const days = 50
const everyLive = 10

const isLive = (day: number): boolean => day % everyLive === 0
const pathOf = (day: number): string => `/almanac/${isLive(day) ? 'live' : 'entry'}/${day}`

/** No other page links to the almanac, so a crawl of the shop does not find it. */
export const almanacRoutes: Route[] = [
  { path: '/almanac/', answer: () => page(contents) },
  { path: '/almanac/entry/:day', answer: (_visit, day) => page(entry(Number(day))) },
  { path: '/almanac/live/:day', answer: () => page(shell) },
  { path: '/almanac/live.js', answer: () => file('text/javascript; charset=utf-8', script) },
  {
    path: '/almanac/data/:day',
    answer: (_visit, day) => json({ day: Number(day), text: textOf(Number(day)) }),
  },
  { path: '/almanac/guestbook', answer: () => page(guestbook) },
  { path: '/almanac/lazy', answer: () => page(lazy) },
]

const title = (day: number): string => `Day ${day} of the almanac`

/** Text long enough that the page does not look empty. */
const textOf = (day: number): string =>
  Array.from(
    { length: 8 },
    (_, line) =>
      `On day ${day}, in hour ${line * 3}, the harbour lies still and the workshop oils its tools for the season to come.`,
  ).join(' ')

const contents = html`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>The almanac</title></head>
<body><h1>The almanac</h1><p>${textOf(0)}</p>
<ul>${Array.from({ length: days }, (_, index) => html`<li><a href="${pathOf(index + 1)}">${title(index + 1)}</a></li>`)}</ul></body></html>
`

const entry = (day: number) => html`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>${title(day)}</title></head>
<body><main><h1>${title(day)}</h1><p class="weather">${textOf(day)}</p></main></body></html>
`

const shell = html`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>The almanac</title></head>
<body><div id="root"></div><script src="/almanac/live.js"></script></body></html>
`

const script = `const day = location.pathname.split('/').pop()
const { text } = await (await fetch('/almanac/data/' + day)).json()
document.title = 'Day ' + day + ' of the almanac'
const heading = Object.assign(document.createElement('h1'), { textContent: document.title })
const weather = Object.assign(document.createElement('p'), { className: 'weather', textContent: text })
document.querySelector('#root').append(heading, weather)
`
  .replace(/^/, '(async () => {\n')
  .concat('})()\n')

/** Recognizes clients by a cookie and by storage, and shows how often each was here. */
const guestbook = html`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>The guestbook</title></head>
<body><h1>The guestbook</h1><p id="said"></p><script>
const before = Number(localStorage.getItem('visits') ?? 0)
const cookie = Number(document.cookie.match(/visits=([0-9]+)/)?.[1] ?? 0)
localStorage.setItem('visits', before + 1)
document.cookie = 'visits=' + (cookie + 1) + '; max-age=86400; path=/'
document.querySelector('#said').textContent = 'storage ' + (before + 1) + ', cookie ' + (cookie + 1)
</script></body></html>
`

/** Adds rows on scroll, three times, and a note after a delay. */
const lazy = html`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>A list that grows</title></head>
<body><h1>A list that grows</h1><ul id="list"><li class="row" style="height:2000px">row 1</li></ul><script>
let rows = 1
addEventListener('scroll', () => {
  if (rows >= 4 || innerHeight + scrollY < document.body.scrollHeight - 10) return
  rows++
  const row = Object.assign(document.createElement('li'), { className: 'row', textContent: 'row ' + rows })
  row.style.height = '2000px'
  document.querySelector('#list').append(row)
})
setTimeout(() => document.body.append(Object.assign(document.createElement('p'), { id: 'note', textContent: 'late' })), 300)
</script></body></html>
`
