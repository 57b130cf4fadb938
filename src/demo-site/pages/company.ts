// Pages about the company: about, contact, open positions.
import { type Position, positions } from '../articles.ts'
import { type Html, html, jsonLd } from '../html.ts'
import { isoDay, layout } from '../layout.ts'
import { page, type Reply, type Route, type Visit } from '../route.ts'
import { notFound } from './not-found.ts'

export const companyRoutes: Route[] = [
  { path: '/about', answer: visit => page(about(visit)) },
  { path: '/de/about', answer: visit => page(germanAbout(visit)) },
  { path: '/contact', answer: visit => page(contact(visit)) },
  { path: '/jobs', answer: visit => page(jobs(visit)) },
  { path: '/jobs/:slug', answer: jobPage },
]

function about(visit: Visit): Html {
  return layout(visit, {
    title: 'About',
    description: 'Who we are and how to reach us.',
    canonical: '/about',
    translations: [['de', '/de/about']],
    head: jsonLd({
      '@type': 'Organization',
      name: 'Kestrel & Pine',
      foundingDate: '1998',
      telephone: '+45 55 01 02 03',
      email: 'hello@kestrel-and-pine.example',
      address: {
        '@type': 'PostalAddress',
        streetAddress: 'Havnegade 12',
        postalCode: '8000',
        addressLocality: 'Aarhus',
        addressCountry: 'DK',
      },
    }),
    main: html`<h1>About Kestrel &amp; Pine</h1>
<p>Founded in 1998, 42 people, one workshop by the harbour.</p>
<address>Havnegade 12<br>8000 Aarhus, Denmark<br><a href="tel:+4555010203">+45 55 01 02 03</a><br>
<a href="mailto:hello@kestrel-and-pine.example">hello@kestrel-and-pine.example</a></address>
<h2>Opening hours</h2>
<dl><dt>Monday to Friday</dt><dd>9:00–18:00</dd><dt>Saturday</dt><dd>10:00–16:00</dd></dl>
<p><a href="/contact">Write to us</a> or <a href="/jobs">work with us</a>.</p>`,
  })
}

function germanAbout(visit: Visit): Html {
  return layout(visit, {
    title: 'Über uns',
    description: 'Wer wir sind und wie man uns erreicht.',
    canonical: '/de/about',
    language: 'de',
    translations: [['en', '/about']],
    main: html`<h1>Über Kestrel &amp; Pine</h1>
<p>Gegründet 1998, 42 Menschen, eine Werkstatt am Hafen in Århus. <a href="/de/">Zurück</a></p>`,
  })
}

function contact(visit: Visit): Html {
  const thanks = html`<p class="thanks">Thank you, ${visit.form.get('name') ?? 'stranger'}. You wrote:</p>
<blockquote>${visit.form.get('message') ?? ''}</blockquote>`
  const form = html`<form method="post" action="/contact">
<p><label>Name <input name="name" required></label></p><p><label>Message <textarea name="message"></textarea></label></p>
<button type="submit">Send</button></form>`
  return layout(visit, {
    title: 'Contact',
    description: 'Write to us.',
    canonical: '/contact',
    main: html`<h1>Contact</h1>${visit.method === 'POST' ? thanks : form}`,
  })
}

function jobs(visit: Visit): Html {
  const rows = positions.map(
    job =>
      html`<tr class="job"><td><a href="/jobs/${job.slug}">${job.title}</a></td><td>${job.team}</td><td>${job.city}</td></tr>`,
  )
  return layout(visit, {
    title: 'Jobs',
    description: 'Open positions.',
    canonical: '/jobs',
    crumbs: [
      ['Home', '/'],
      ['Jobs', '/jobs'],
    ],
    main: html`<h1>Open positions</h1>
<table class="jobs"><thead><tr><th>Position</th><th>Team</th><th>City</th></tr></thead><tbody>${rows}</tbody></table>`,
  })
}

function jobPage(visit: Visit, slug: string): Reply {
  const job = positions.find(each => each.slug === slug)
  if (!job) return notFound(visit)
  const content = layout(visit, {
    title: job.title,
    description: `${job.title} in ${job.city}.`,
    canonical: `/jobs/${job.slug}`,
    crumbs: [
      ['Home', '/'],
      ['Jobs', '/jobs'],
      [job.title, `/jobs/${job.slug}`],
    ],
    head: jsonLd(jobData(job)),
    main: html`<h1>${job.title}</h1>
<p class="where">${job.city}, ${job.country}${job.remote ? ' or remote' : ''}</p>
<p class="salary">€ ${job.salary[0]} – € ${job.salary[1]} a year</p>
<h2>What you do</h2><ul><li>Good work, at a steady pace</li><li>Teach one other person what you know</li></ul>
<p>Posted <time datetime="${isoDay(job.postedAt)}">${isoDay(job.postedAt)}</time>. <a href="/contact">Apply</a></p>`,
  })
  return page(content)
}

function jobData(job: Position): Record<string, unknown> {
  const [minValue, maxValue] = job.salary
  return {
    '@type': 'JobPosting',
    title: job.title,
    datePosted: isoDay(job.postedAt),
    employmentType: 'FULL_TIME',
    hiringOrganization: { '@type': 'Organization', name: 'Kestrel & Pine' },
    jobLocation: {
      '@type': 'Place',
      address: { '@type': 'PostalAddress', addressLocality: job.city, addressCountry: job.country },
    },
    ...(job.remote ? { jobLocationType: 'TELECOMMUTE' } : {}),
    baseSalary: {
      '@type': 'MonetaryAmount',
      currency: 'EUR',
      value: { '@type': 'QuantitativeValue', minValue, maxValue, unitText: 'YEAR' },
    },
  }
}
