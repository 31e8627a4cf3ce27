import { useCallback, useMemo, useState } from 'react'
import type { ApiFailure } from '../api/api-failure.ts'
import type { TokenPermissions } from '../api/api-views.ts'
import { createDashboardClient, type DashboardClient } from '../api/dashboard-client.ts'
import { readStoredItem } from './theme.ts'

/** The token is kept until the tab is closed, and other tabs do not see it. */
const tokenKey = 'antichain.token'

/** The login of the page. `client` is undefined without a token. */
export interface LoginSession {
  readonly client: DashboardClient | undefined
  /** The reason why the last session ended, if the API ended it. */
  readonly endReason: ApiFailure | undefined
  /** Uses a token that the API has accepted. */
  readonly login: (token: string) => void
  readonly logout: () => void
}

/** Returns the login of the page. The first token is that of the session storage. */
export function useLogin(): LoginSession {
  const [token, setToken] = useState(() => readStoredItem('sessionStorage', tokenKey))
  const [endReason, setEndReason] = useState<ApiFailure>()
  const end = useCallback((reason: ApiFailure | undefined) => {
    storeToken(undefined)
    setToken(undefined)
    // Several requests may be refused at the same time. The first one has the reason.
    setEndReason(earlier => (reason === undefined ? undefined : (earlier ?? reason)))
  }, [])
  const login = useCallback((acceptedToken: string) => {
    storeToken(acceptedToken)
    setEndReason(undefined)
    setToken(acceptedToken)
  }, [])
  const client = useMemo(
    () => (token === undefined ? undefined : createBrowserClient(token, end)),
    [token, end],
  )
  return { client, endReason, login, logout: () => end(undefined) }
}

/** Returns the permissions of a token. Throws ApiFailure, also for a refused token. */
export async function checkToken(token: string): Promise<TokenPermissions> {
  return createBrowserClient(token, () => undefined).read<TokenPermissions>('/v1/whoami')
}

function createBrowserClient(
  token: string,
  onTokenRefused: (failure: ApiFailure) => void,
): DashboardClient {
  return createDashboardClient({
    token,
    onTokenRefused,
    fetch: (path, init) => fetch(path, init),
    wait: ms => new Promise(resolve => void setTimeout(resolve, ms)),
  })
}

function storeToken(token: string | undefined): void {
  try {
    if (token === undefined) sessionStorage.removeItem(tokenKey)
    else sessionStorage.setItem(tokenKey, token)
  } catch {
    // A browser may forbid storage. Then the login lasts until the page is loaded again.
  }
}
