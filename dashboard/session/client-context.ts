import { createContext, useContext } from 'react'
import type { TokenPermissions } from '../api/api-views.ts'
import type { DashboardClient } from '../api/dashboard-client.ts'

/** The logged-in session that all pages share. */
export interface LoggedInContext {
  readonly client: DashboardClient
  readonly permissions: TokenPermissions
}

/** The context that gives pages the client. */
export const clientContext = createContext<LoggedInContext | undefined>(undefined)

/** Returns the client and its permissions. Pages exist only while a token is logged in. */
export function useClient(): LoggedInContext {
  const value = useContext(clientContext)
  if (value === undefined) throw new Error('a page was shown without a login')
  return value
}
