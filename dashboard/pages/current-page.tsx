import type { PageRoute } from '../routing/page-route.ts'
import { DeploymentPage } from './deployment-page.tsx'
import { StackPage } from './stack-page.tsx'
import { StacksPage } from './stacks-page.tsx'
import { UnknownPage } from './unknown-page.tsx'

/** Shows the page that the address names. A page of another subject starts anew. */
export function CurrentPage({ route }: { route: PageRoute }) {
  switch (route.kind) {
    case 'stacks':
      return <StacksPage />
    case 'stack': {
      const { kind: _kind, ...address } = route
      return <StackPage key={`${address.project}/${address.stack}`} {...address} />
    }
    case 'deployment': {
      const { project, stack, number } = route
      return (
        <DeploymentPage key={`${project}/${stack}/${number}`} {...{ project, stack, number }} />
      )
    }
    case 'unknown':
      return <UnknownPage />
  }
}
