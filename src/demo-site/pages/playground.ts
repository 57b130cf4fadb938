// Pages for browser actions: forms, a login, shadow roots, frames, paginated and endless lists, files, popups, keys.
import { framed, type Html, html, nothing } from '../html.ts'
import { json, numberIn, page, type Reply, type Route, redirect, type Visit } from '../route.ts'

const root = '/play'
const listedItems = 12
const itemsPerPage = 5
const feedItems = 40
const itemsPerBatch = 10

/** No other page links to the playground, so a crawl of the shop does not find it. */
export const playgroundRoutes: Route[] = [
  { path: `${root}/form`, answer: visit => page(visit.method === 'POST' ? formDone(visit) : form) },
  { path: `${root}/login`, answer: visit => (visit.method === 'POST' ? logIn(visit) : page(login(''))) },
  { path: `${root}/account`, answer: account },
  { path: `${root}/shadow`, answer: () => page(shadow) },
  { path: `${root}/frames`, answer: () => page(frames) },
  { path: `${root}/frames/outer`, answer: () => page(outerFrame) },
  { path: `${root}/frames/inner`, answer: () => page(innerFrame) },
  { path: `${root}/list`, answer: visit => page(list(visit)) },
  { path: `${root}/feed`, answer: () => page(feed) },
  { path: `${root}/feed.json`, answer: feedBatch },
  { path: `${root}/files`, answer: () => page(files) },
  { path: `${root}/files/prices.csv`, answer: () => prices },
  { path: `${root}/popup`, answer: () => page(popup) },
  { path: `${root}/popup/window`, answer: () => page(popupWindow) },
  { path: `${root}/keys`, answer: () => page(keys) },
]

const form = framed(
  'Tell us',
  html`<form method="post" action="${root}/form">
<p><label>Name <input id="name" name="name" autocomplete="off"></label></p>
<p><label>E-mail <input id="email" name="email" type="email"></label></p>
<p><label>Country <select id="country" name="country"><option value="">choose</option><option value="de">Germany</option><option value="pt">Portugal</option></select></label></p>
<p><label>Level <input id="level" name="level" type="range" min="0" max="10" value="5"></label></p>
<p><label>Note <textarea id="note" name="note"></textarea></label></p>
<p><label><input id="agree" name="agree" type="checkbox"> I agree</label></p>
<p><button type="submit" id="send">Send</button> <button type="button" id="later" ondblclick="document.title='Later'">Later</button></p>
</form>`,
)

function formDone({ form: given }: Visit): Html {
  const rows = [...given].map(([name, value]) => html`<dt>${name}</dt><dd id="got-${name}">${value}</dd>`)
  return framed('Thank you', html`<dl>${rows}</dl><p><a href="${root}/form">Again</a></p>`)
}

const login = (problem: string): Html =>
  framed(
    'Log in',
    html`${problem ? html`<p class="error">${problem}</p>` : nothing}
<form method="post" action="${root}/login">
<p><label>User <input name="user" autocomplete="username"></label></p>
<p><label>Password <input name="password" type="password" autocomplete="current-password"></label></p>
<p><button type="submit">Log in</button></p></form>`,
  )

/** Logs in as Ada if the password is right. The response shows a wrong password, as careless sites do. */
function logIn({ form: given }: Visit): Reply {
  if (given.get('user') !== 'ada' || given.get('password') !== 'difference-engine')
    return page(login(`No entry for ${given.get('user') ?? ''} with ${given.get('password') ?? ''}.`), 200)
  const { headers, ...rest } = redirect(`${root}/account`)
  return { ...rest, headers: { ...headers, 'set-cookie': `play=ada; Path=${root}; HttpOnly` } }
}

function account(visit: Visit): Reply {
  if (!/(?:^|;\s*)play=ada/.test(visit.headers.cookie ?? '')) return redirect(`${root}/login`)
  return page(framed('Your account', html`<p id="who">Ada Lovelace</p><p class="balance">£ 1,815</p>`))
}

const shadow = framed(
  'In the shadow',
  html`<play-box id="outer"></play-box><p id="said"></p>
<script>
customElements.define('play-box', class extends HTMLElement {
  connectedCallback() {
    const box = this.attachShadow({ mode: 'open' })
    box.innerHTML = '<div class="frame"><play-field></play-field></div>'
  }
})
customElements.define('play-field', class extends HTMLElement {
  connectedCallback() {
    const field = this.attachShadow({ mode: 'open' })
    field.innerHTML = '<input class="word" aria-label="Word"> <button class="say">Say</button>'
    field.querySelector('.say').onclick = () => {
      document.querySelector('#said').textContent = field.querySelector('.word').value
    }
  }
})
</script>`,
)

const frames = framed(
  'Frames',
  html`<iframe src="${root}/frames/outer" title="outer" width="500" height="300"></iframe>`,
)
const outerFrame = framed(
  'Outer',
  html`<iframe src="${root}/frames/inner" title="inner" width="400" height="200"></iframe>`,
)
const innerFrame = framed(
  'Inner',
  html`<button id="count" onclick="this.textContent = Number(this.textContent) + 1">0</button>`,
)

function list(visit: Visit): Html {
  const number = Math.max(1, Math.floor(numberIn(visit, 'page', 1)))
  const from = (number - 1) * itemsPerPage
  const length = Math.max(0, Math.min(itemsPerPage, listedItems - from))
  const items = Array.from(
    { length },
    (_, index) => html`<li class="item"><a href="${root}/form">Item ${from + index + 1}</a></li>`,
  )
  const isLast = from + length >= listedItems
  const next = html`<a class="next" href="${root}/list?page=${number + 1}">Next</a>`
  return framed(
    `Page ${number}`,
    html`<ul>${items}</ul>${isLast ? html`<span class="next" aria-disabled="true">Next</span>` : next}`,
  )
}

/** A list that loads more items on scroll. */
const feed = framed(
  'Endless',
  html`<ul id="feed"></ul><p id="end" style="height:120vh">…</p>
<script>
let from = 0, isLoading = false, isWanted = false
async function more() {
  isWanted = isLoading
  if (isLoading) return
  isLoading = true
  const { items, isLast } = await (await fetch('${root}/feed.json?from=' + from)).json()
  from += items.length
  document.querySelector('#feed').append(...items.map(name => Object.assign(document.createElement('li'), { textContent: name })))
  if (isLast) document.querySelector('#end').remove()
  isLoading = isLast
  // The user scrolled down while items were loading, so the next part is loaded now.
  if (isWanted && !isLast) more()
}
addEventListener('scroll', () => scrollY + innerHeight > document.documentElement.scrollHeight - 200 && more())
more()
</script>`,
)

function feedBatch(visit: Visit): Reply {
  const from = Math.floor(numberIn(visit, 'from', 0))
  const length = Math.max(0, Math.min(itemsPerBatch, feedItems - from))
  const items = Array.from({ length }, (_, index) => `Entry ${from + index + 1}`)
  return json({ items, isLast: from + length >= feedItems })
}

const files = framed(
  'Files',
  html`<p><a id="prices" href="${root}/files/prices.csv">Prices</a></p>
<p><input type="file" id="file" multiple style="display:none"> <output id="got"></output></p>
<script>
document.querySelector('#file').onchange = async ({ target }) => {
  const texts = [...target.files].map(async file => file.name + ': ' + await file.text())
  document.querySelector('#got').textContent = (await Promise.all(texts)).join('; ')
}
</script>`,
)

const prices: Reply = {
  headers: { 'content-type': 'text/csv', 'content-disposition': 'attachment; filename="prices.csv"' },
  body: 'name,price\nLamp,12.50\nTable,80.00\n',
}

const popup = framed(
  'Opens another',
  html`<p><a id="open" href="${root}/popup/window" target="_blank">Open</a></p>`,
)
const popupWindow = framed(
  'Opened',
  html`<p><button id="greet" onclick="this.textContent='Hello'">Greet</button></p>`,
)

const keys = framed(
  'Keys',
  html`<input id="field"><p id="pressed"></p>
<script>
for (const type of ['keydown', 'keyup'])
  addEventListener(type, ({ key }) => document.querySelector('#pressed').append(type + ' ' + key + '; '))
</script>`,
)
