// The head of a page: its path, title, description and actions.
import type { ComponentChildren } from 'preact'
import { Problem } from './parts.tsx'

interface PageHeadProps {
  title: ComponentChildren
  sub?: ComponentChildren
  /** The parent pages with their URLs. */
  crumbs?: ReadonlyArray<readonly [name: string, href: string]>
  badges?: ComponentChildren
  /** Buttons of the page. */
  children?: ComponentChildren
}

interface UnknownProps {
  /** The page that lists all objects of this kind. */
  above: readonly [name: string, href: string]
  id: string
  problem: string
  retry: () => void
}

/** Shown in place of a page whose object cannot be loaded. */
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
