import { useMemo } from 'react'
import { Button } from 'react-aria-components'
import { isAdministrator, type TokenPermissions } from './api/api-views.ts'
import type { DashboardClient } from './api/dashboard-client.ts'
import { usePolled } from './api/use-polled.ts'
import { CurrentPage } from './pages/current-page.tsx'
import { LoginPage } from './pages/login-page.tsx'
import { hrefOf } from './routing/page-route.ts'
import { useRoute } from './routing/use-route.ts'
import { clientContext } from './session/client-context.ts'
import { useLogin } from './session/use-login.ts'
import { FailureBoundary } from './widgets/failure-boundary.tsx'
import { FailureNote } from './widgets/failure-note.tsx'
import { LoadingRows } from './widgets/loading-rows.tsx'
import { ThemeSwitch } from './widgets/theme-switch.tsx'

/** Shows the login page without a token, and otherwise the page that the address names. */
export function Dashboard() {
  const { client, endReason, login, logout } = useLogin()
  if (client === undefined) return <LoginPage endReason={endReason} onLogin={login} />
  return <LoggedInPage client={client} onLogout={logout} />
}

/**
 * The interval of reads of the permissions, which rarely change. A refused request shows a change
 * immediately.
 */
const permissionsPollMs = 60_000

function LoggedInPage({ client, onLogout }: { client: DashboardClient; onLogout: () => void }) {
  const route = useRoute()
  const { value: permissions, failure } = usePolled({
    key: 'whoami',
    intervalMs: permissionsPollMs,
    read: signal => client.read<TokenPermissions>('/v1/whoami', signal),
  })
  const context = useMemo(
    () => (permissions === undefined ? undefined : { client, permissions }),
    [client, permissions],
  )
  return (
    <>
      <a className="skip-link" href="#content" onClick={focusContent}>
        Skip to the content
      </a>
      <header className="top-bar">
        <a className="brand" href={hrefOf({ kind: 'stacks' })}>
          <img src="/icon.svg" alt="" width="24" height="24" />
          Antichain
        </a>
        <nav aria-label="Main">
          <a
            href={hrefOf({ kind: 'stacks' })}
            aria-current={route.kind === 'stacks' ? 'page' : undefined}
          >
            Stacks
          </a>
          <a
            href={hrefOf({ kind: 'search', text: '' })}
            aria-current={route.kind === 'search' ? 'page' : undefined}
          >
            Search
          </a>
          {permissions !== undefined && isAdministrator(permissions) ? (
            <a
              href={hrefOf({ kind: 'administration', tab: 'tokens' })}
              aria-current={route.kind === 'administration' ? 'page' : undefined}
            >
              Administration
            </a>
          ) : null}
        </nav>
        <div className="top-tools">
          {permissions === undefined ? null : (
            <span className="token-name" title={`Token with the role ${permissions.role}`}>
              {permissions.name} <span className="tag">{permissions.role}</span>
            </span>
          )}
          <ThemeSwitch />
          <Button className="button button-quiet" onPress={onLogout}>
            Log out
          </Button>
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {context === undefined && failure !== undefined ? <FailureNote failure={failure} /> : null}
        {context === undefined && failure === undefined ? <LoadingRows label="Logging in" /> : null}
        {context === undefined ? null : (
          <clientContext.Provider value={context}>
            <FailureBoundary subject="page" resetKey={route}>
              <CurrentPage route={route} />
            </FailureBoundary>
          </clientContext.Provider>
        )}
      </main>
    </>
  )
}

/** Moves the focus to the content, without a change of the fragment, which names the page. */
function focusContent(event: { preventDefault: () => void }): void {
  event.preventDefault()
  document.getElementById('content')?.focus()
}
