import * as z from 'zod'
import type { StackId } from '../../shared/records/ids.ts'
import { dashboardAddressOf } from '../../shared/triggers/dashboard-address.ts'
import { createApiClient } from './api-client.ts'
import { type Login, readLogin } from './saved-login.ts'

const identityForm = z.object({ dashboard: z.string().optional() })

/** Time in which a server must answer a command that needs its dashboard, in ms. */
const dashboardAnswerMs = 5_000
/** Time in which a server must answer before an operation, in ms. The hyperlink is optional. */
const hyperlinkAnswerMs = 1_000

/** Reports whether the server at an address serves a dashboard, and answers within `answerMs`. */
async function servesDashboard(url: string, answerMs: number): Promise<boolean> {
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
 * Returns the address at which the server of a login serves a dashboard: its public address, or
 * else the address of the login. Returns undefined without a dashboard.
 */
export async function findDashboard(login: Login): Promise<string | undefined> {
  const publicUrl = await readPublicUrl(login)
  const urls = publicUrl === undefined ? [login.url] : [publicUrl, login.url]
  for (const url of urls) if (await servesDashboard(url, dashboardAnswerMs)) return url
  return undefined
}

/** Returns the public address that a server names. An older server names none. */
async function readPublicUrl(login: Login): Promise<string | undefined> {
  try {
    const identity = await createApiClient(login).call({ method: 'GET', path: '/v1/whoami' })
    return identityForm.parse(identity).dashboard
  } catch {
    return undefined
  }
}

/**
 * Returns the address of a stack's page for the hyperlink of a display. Returns undefined without a
 * login, or if the server of the login serves no dashboard.
 */
export async function findStackPage(home: string, stack: StackId): Promise<string | undefined> {
  const login = readLogin(home)
  if (login === undefined || !(await servesDashboard(login.url, hyperlinkAnswerMs)))
    return undefined
  return dashboardAddressOf(login.url, stack)
}
