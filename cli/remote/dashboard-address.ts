import { type StackId, stackPartsOf } from '../../shared/records/ids.ts'
import { readLogin } from './saved-login.ts'

/** Returns the address of the dashboard of an API: its start page, or the page of a stack. */
export function dashboardAddressOf(url: string, stack: StackId | undefined): string {
  const base = url.replace(/\/+$/, '')
  if (stack === undefined) return `${base}/`
  const { project, stack: name } = stackPartsOf(stack)
  return `${base}/#/stacks/${encodeURIComponent(project)}/${encodeURIComponent(name)}`
}

/** Reports whether the server at an address serves a dashboard, and answers within `answerMs`. */
export async function servesDashboard(url: string, answerMs: number): Promise<boolean> {
  try {
    const response = await fetch(dashboardAddressOf(url, undefined), {
      signal: AbortSignal.timeout(answerMs),
    })
    await response.body?.cancel()
    return response.ok && (response.headers.get('content-type') ?? '').startsWith('text/html')
  } catch {
    return false
  }
}

/**
 * Returns the address of a stack's page for the hyperlink of a display. Returns undefined without a
 * login, or if the server of the login serves no dashboard.
 */
export async function findStackPage(home: string, stack: StackId): Promise<string | undefined> {
  const login = readLogin(home)
  if (login === undefined || !(await servesDashboard(login.url, 1000))) return undefined
  return dashboardAddressOf(login.url, stack)
}
