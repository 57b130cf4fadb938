// A fake county treasurer's site: a search form with hidden state, a parcel summary, a tax statement.
import { type Html, html, nothing } from '../html.ts'
import { writePrice } from '../money.ts'
import { type Parcel, parcelOf } from '../parcels.ts'
import { page, type Reply, type Route, redirect, type Visit } from '../route.ts'

const root = '/maricopa'
/** Hidden state that the form must send back, as real sites require. */
const viewState = 'd2hvIGNhbWUgZnJvbSB0aGUgZm9ybQ=='

export const treasurerRoutes: Route[] = [
  { path: `${root}/`, answer: visit => (visit.method === 'POST' ? find(visit) : page(search(''))) },
  { path: root, answer: () => redirect(`${root}/`) },
  { path: `${root}/Parcel/Summary.aspx`, answer: visit => withParcel(visit, summary) },
  { path: `${root}/Parcel/TaxStatement.aspx`, answer: visit => withParcel(visit, statement) },
]

/** Accepts only a complete form from this site. A cookie carries the chosen parcel. */
function find(visit: Visit): Reply {
  const part = (name: string) => visit.form.get(name) ?? ''
  if (part('__VIEWSTATE') !== viewState || part('btnSearch') !== 'Search')
    return page(search('Your session is not valid. Please start over.'))
  const number = `${part('txtBook')}-${part('txtMap')}-${part('txtItem')}${part('txtSplit')}`
  if (!parcelOf(number)) return page(search(`No parcel ${number} was found.`))
  const { headers, ...rest } = redirect(`${root}/Parcel/Summary.aspx`)
  return { ...rest, headers: { ...headers, 'set-cookie': `parcel=${number}; Path=${root}; HttpOnly` } }
}

function withParcel(visit: Visit, show: (parcel: Parcel) => Html): Reply {
  const number = /(?:^|;\s*)parcel=([\w-]+)/.exec(visit.headers.cookie ?? '')?.[1] ?? ''
  const parcel = parcelOf(number)
  return parcel ? page(show(parcel)) : redirect(`${root}/`)
}

const frame = (title: string, main: Html): Html => html`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>${title} - County Treasurer (stand-in)</title></head>
<body><header><a href="${root}/">County Treasurer</a> <small>a stand-in for tests, not an office</small></header>
<main>${main}</main></body></html>
`

const search = (problem: string): Html =>
  frame(
    'Parcel search',
    html`<h1>Parcel search</h1>
${problem ? html`<p class="error">${problem}</p>` : nothing}
<form id="parcel-search" method="post" action="./">
<input type="hidden" name="__VIEWSTATE" value="${viewState}">
<input type="hidden" name="__EVENTTARGET" value="">
<label>Book <input name="txtBook" maxlength="3"></label> <label>Map <input name="txtMap" maxlength="2"></label>
<label>Item <input name="txtItem" maxlength="3"></label> <label>Split <input name="txtSplit" maxlength="1"></label>
<input type="submit" name="btnSearch" value="Search"> <input type="submit" name="btnClear" value="Clear">
</form>`,
  )

const summary = (parcel: Parcel): Html =>
  frame(
    'Parcel summary',
    html`<h1>Parcel Summary</h1>
<dl><dt>Parcel #</dt><dd id="lblParcel">${parcel.number}</dd><dt>Owner</dt><dd id="lblOwner">${parcel.owner}</dd>
<dt>Property address</dt><dd id="lblSitusAddress">${parcel.address}</dd></dl>
<p><a href="TaxStatement.aspx?year=${parcel.taxYear}">View tax statement</a></p>`,
  )

function statement(parcel: Parcel): Html {
  const { assessed, paid, firstHalfDue, secondHalfDue } = parcel
  const rows = [
    ['Assessed tax', assessed],
    ['Tax paid', paid],
    ['First half due', firstHalfDue],
    ['Second half due', secondHalfDue],
    ['Total due', firstHalfDue + secondHalfDue],
  ] as const
  return frame(
    'Tax statement',
    html`<h1><span id="lblTaxYear">${parcel.taxYear}</span> Tax Statement</h1>
<p>Parcel ${parcel.number}: <strong id="lblStatus">${firstHalfDue + secondHalfDue === 0 ? 'Paid' : 'Due'}</strong></p>
<table id="tblStatement"><thead><tr><th>Item</th><th>Amount</th></tr></thead>
<tbody>${rows.map(([item, cents]) => html`<tr><td>${item}</td><td>${writePrice(cents, 'USD')}</td></tr>`)}</tbody></table>`,
  )
}
