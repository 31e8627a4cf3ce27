import { spawn } from 'node:child_process'
import { createError } from '../../shared/errors/error.ts'
import type { Handler } from '../arguments/handler.ts'
import { dashboardAddressOf } from '../../shared/triggers/dashboard-address.ts'
import { findDashboard } from '../remote/dashboard-address.ts'
import { readLogin } from '../remote/saved-login.ts'
import type { CliSession } from '../session/session.ts'

/**
 * `console`: prints the address of the dashboard, at the selected stack if there is one, and opens
 * it in a browser. Without a terminal it only prints. Throws CLI_USAGE without a dashboard.
 */
export const openConsole: Handler = async session => {
  const login = readLogin(session.home)
  if (login === undefined)
    throw createError('CLI_USAGE', 'no server with a dashboard is known', {
      hint: 'Run `antichain serve --port 7000`, and log in with `antichain login <address>`.',
    })
  const url = await findDashboard(login)
  if (url === undefined)
    throw createError('CLI_USAGE', `${login.url} serves no dashboard`, {
      hint: 'Log in to an `antichain serve` with a port (docs/dashboard.md).',
    })
  const address = dashboardAddressOf(url, findSelectedStack(session))
  session.print(address)
  if (session.mayPrompt) openBrowser(address, session.io.env['BROWSER'])
  return 0
}

/** Returns the selected stack, or undefined without one. The dashboard then shows all stacks. */
function findSelectedStack(
  session: CliSession,
): ReturnType<CliSession['resolveStackId']> | undefined {
  try {
    return session.resolveStackId()
  } catch {
    return undefined
  }
}

/** Opens an address in a browser. If no browser starts, the printed address remains. */
function openBrowser(address: string, browser = ''): void {
  const systemOpener = process.platform === 'darwin' ? 'open' : 'xdg-open'
  const child = spawn(browser === '' ? systemOpener : browser, [address], {
    stdio: 'ignore',
    detached: true,
  })
  child.on('error', () => {})
  child.unref()
}
