// The head of a page: where one is, what it is about, and what can be done with it.
import type { ComponentChildren } from 'preact'
import { Problem } from './parts.tsx'

interface PageHeadProps {
  title: ComponentChildren
  sub?: ComponentChildren
  /** What lies above, with its address. */
  crumbs?: ReadonlyArray<readonly [name: string, href: string]>
  badges?: ComponentChildren
  /** Buttons. */
  children?: ComponentChildren
}

interface UnknownProps {
  /** What lists those that there are. */
  above: readonly [name: string, href: string]
  id: string
  problem: string
  retry: () => void
}

/** In place of a page whose thing can't be had. */
export const Unknown = ({ above, id, problem, retry }: UnknownProps) => (
  <>
    <PageHead crumbs={[above]} title={id} />
    <Problem message={problem} retry={retry} />
  </>
)

export const PageHead = ({ title, sub, crumbs = [], badges, children }: PageHeadProps) => (
  <div class="page-head">
    <div>
      {crumbs.length > 0 && (
        <p class="crumbs">
          {crumbs.map(([name, href]) => (
            <a key={href} href={href}>
              {name}
            </a>
          ))}
        </p>
      )}
      <div class="title-line">
        <h1>{title}</h1>
        {badges}
      </div>
      {sub && <p class="sub">{sub}</p>}
    </div>
    {children && <div class="actions">{children}</div>}
  </div>
)
