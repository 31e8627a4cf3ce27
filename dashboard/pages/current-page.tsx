import type { PageRoute } from '../routing/page-route.ts'
import { AdministrationPage } from './administration-page.tsx'
import { DeploymentPage } from './deployment-page.tsx'
import { PlanPage } from './plan-page.tsx'
import { SearchPage } from './search-page.tsx'
import { StackPage } from './stack-page.tsx'
import { StacksPage } from './stacks-page.tsx'
import { UnknownPage } from './unknown-page.tsx'
import { VersionDiffPage } from './version-diff-page.tsx'

/** Shows the page that the address names. Pages of different subjects share no state. */
export function CurrentPage({ route }: { route: PageRoute }) {
  switch (route.kind) {
    case 'stacks':
      return <StacksPage />
    case 'stack': {
      const { kind: _kind, ...address } = route
      return <StackPage key={`${address.project}/${address.stack}`} {...address} />
    }
    case 'diff': {
      const { project, stack, from, to } = route
      const key = `${project}/${stack} ${from} ${to}`
      return <VersionDiffPage key={key} {...{ project, stack, from, to }} />
    }
    case 'search':
      return <SearchPage key={route.text} text={route.text} />
    case 'administration':
      return <AdministrationPage tab={route.tab} />
    case 'deployment': {
      const { project, stack, number } = route
      return (
        <DeploymentPage key={`${project}/${stack}/${number}`} {...{ project, stack, number }} />
      )
    }
    case 'plan': {
      const { project, stack, request } = route
      return <PlanPage key={`${project}/${stack} ${request}`} {...{ project, stack, request }} />
    }
    case 'unknown':
      return <UnknownPage />
  }
}
