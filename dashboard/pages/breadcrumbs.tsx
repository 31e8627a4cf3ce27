import type { ProjectAndStack } from '../api/api-views.ts'
import { hrefOf } from '../routing/page-route.ts'

/** Shows the path from all stacks to the current page. */
export function Breadcrumbs({
  project,
  stack,
  isStackPage,
}: ProjectAndStack & { isStackPage: boolean }) {
  const name = `${project} / ${stack}`
  return (
    <nav aria-label="Breadcrumb" className="breadcrumbs">
      <a href={hrefOf({ kind: 'stacks' })}>Stacks</a>
      <span aria-hidden="true">›</span>
      {isStackPage ? (
        <span aria-current="page">{name}</span>
      ) : (
        <a href={hrefOf({ kind: 'stack', project, stack, tab: 'resources' })}>{name}</a>
      )}
    </nav>
  )
}
