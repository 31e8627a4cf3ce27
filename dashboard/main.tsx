/**
 * dashboard: a page in the browser that shows stacks and deployments, and controls open ones.
 * It uses only the public API of the server that serves it.
 *
 * Allowed imports: React, react-aria-components, react-error-boundary, react-virtual, sigma,
 * graphology, and files of this folder. No file of another folder imports this one.
 *
 * Invariants: no request goes to another host. The token is only in the memory of the page and in
 * its session storage, and only the header `authorization` contains it. Secrets are never
 * requested. Every failed request is shown where its result was expected.
 */
import { createRoot } from 'react-dom/client'
import { Dashboard } from './dashboard.tsx'
import { applyTheme, readTheme } from './session/theme.ts'
import { FailureBoundary } from './widgets/failure-boundary.tsx'
import './styles/design-tokens.css'
import './styles/layout.css'
import './styles/widgets.css'
import './styles/pages.css'
import './styles/resources.css'
import './styles/deployment.css'

applyTheme(readTheme())
const container = document.getElementById('root')
if (container !== null)
  createRoot(container).render(
    <FailureBoundary subject="application">
      <Dashboard />
    </FailureBoundary>,
  )
