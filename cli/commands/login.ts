import * as z from 'zod'
import { createError } from '../../shared/errors/error.ts'
import type { Handler } from '../arguments/handler.ts'
import type { Flags } from '../arguments/flags.ts'
import { isObjectStoreUrl } from '../../shared/platform/objects/object-store-url.ts'
import { cacheFolderOf, readSavedBackend, removeSavedBackend } from '../backends/current-backend.ts'
import { createApiClient, parseReply } from '../remote/api-client.ts'
import { readTokenIdentity } from '../remote/current-account.ts'
import { readOidcToken, requestsOidc } from '../remote/oidc-token.ts'
import type { CliSession } from '../session/session.ts'
import { refuseOtherOrganization } from './org.ts'
import { parseApiAddress, readLogin, removeLogin, writeLogin } from '../remote/saved-login.ts'

/**
 * `login`: checks and saves the address and token of an API. With --oidc, the API issues the token
 * in exchange for the OIDC token of a CI job. With the address of a self-managed backend, or
 * --local, it checks and saves that address.
 */
export const login: Handler = async (session, flags, [operand = '']) => {
  const address = readAddress(flags, operand)
  const organization = flags.text('defaultOrg')
  if (organization !== undefined) refuseOtherOrganization(organization)
  if (isObjectStoreUrl(address)) {
    refuseApiOptions(flags)
    return (await import('../backends/backend-login.ts')).loginToBackend(session, address)
  }
  const url = parseApiAddress(address)
  if (requestsOidc(flags)) return loginWithOidc(session, flags, url)
  for (const option of ['audience', 'rule'])
    if (flags.text(option) !== undefined)
      throw createError('CLI_USAGE', `--${option} requires --oidc`)
  // A token from a file or a command may have a newline at its end.
  const presetToken = (flags.text('token') ?? session.io.env['ANTICHAIN_TOKEN'] ?? '').trim()
  if (presetToken === '' && !session.mayPrompt)
    throw createError(
      'API_TOKEN_MISSING',
      'the token is missing, and non-interactive mode has no prompt for it',
      {
        hint: 'Pass it with `--token`, or set ANTICHAIN_TOKEN.',
      },
    )
  const token = presetToken === '' ? (await session.io.promptHidden('Token:')).trim() : presetToken
  const remote = await session.tools.openRemote({ url, token })
  const { name, role } = await readTokenIdentity(remote, url)
  removeSavedBackend(session.home)
  writeLogin(session.home, { url, token })
  session.printToStderr(`Logged in to ${url} as '${name}' (role ${role}).`)
  return 0
}

/** Throws CLI_USAGE for options that only a login to an API has. */
function refuseApiOptions(flags: Flags): void {
  const options = ['token', 'audience', 'rule'].filter(name => flags.text(name) !== undefined)
  const names = requestsOidc(flags) ? ['oidc', ...options] : options
  if (names.length > 0)
    throw createError('CLI_USAGE', `a login to a backend takes no --${names.join(', --')}`)
}

/** Returns the address of the argument, of --cloud-url or of --local, or ''. */
function readAddress(flags: Flags, operand: string): string {
  const cloudUrl = flags.text('cloudUrl') ?? ''
  const addresses = [operand, cloudUrl, flags.isSet('local') ? 'file://~' : ''].filter(
    address => address !== '',
  )
  if (addresses.length > 1)
    throw createError('CLI_USAGE', 'pass only one of an address, --cloud-url and --local')
  return addresses[0] ?? ''
}

const issuedTokenForm = z.object({
  name: z.string(),
  role: z.string(),
  expiresAt: z.number(),
  token: z.string(),
})

/** Exchanges the OIDC token of a CI job for an API token, and saves it. Prints neither token. */
async function loginWithOidc(session: CliSession, flags: Flags, url: string): Promise<number> {
  if (flags.text('token') !== undefined)
    throw createError('CLI_USAGE', '--token and --oidc cannot be used together')
  const oidcToken = await readOidcToken(session, flags, flags.text('audience') ?? url)
  const rule = flags.text('rule')
  const response = await createApiClient({ url }).call({
    method: 'POST',
    path: '/v1/tokens/exchange',
    body: { token: oidcToken, ...(rule === undefined ? {} : { rule }) },
    isRepeatable: true,
  })
  const { name, role, expiresAt, token } = parseReply(issuedTokenForm, response, url)
  removeSavedBackend(session.home)
  writeLogin(session.home, { url, token })
  const expiry = new Date(expiresAt).toISOString()
  session.printToStderr(`Logged in to ${url} as '${name}' (role ${role}), until ${expiry}.`)
  return 0
}

/** `logout`: removes the login. With an address, it removes only a login to this address. */
export const logout: Handler = async (session, flags, [operand = '']) => {
  const address = readAddress(flags, operand)
  if (address !== '' && flags.isSet('all'))
    throw createError('CLI_USAGE', 'pass either an address or --all')
  if (address !== '' && !mayBeLoggedInTo(session, identifyAddress(session, address))) {
    session.printToStderr('Not logged in there.')
    return 0
  }
  const previousLogin = describeLogin(session.home)
  removeSavedBackend(session.home)
  removeLogin(session.home)
  session.printToStderr(
    previousLogin === undefined ? 'Not logged in.' : `Logged out of ${previousLogin}.`,
  )
  return 0
}

/** Returns a text that is equal for all addresses of one API or self-managed backend. */
function identifyAddress({ home, cwd }: CliSession, address: string): string {
  return isObjectStoreUrl(address) ? cacheFolderOf(home, address, cwd) : parseApiAddress(address)
}

/**
 * Reports whether the saved login may belong to the address that has `identity`. An invalid file
 * may be the login to any address, so `logout` removes it. Without a login the result is true too,
 * and `logout` reports the missing login.
 */
function mayBeLoggedInTo(session: CliSession, identity: string): boolean {
  try {
    const url = readSavedBackend(session.home) ?? readLogin(session.home)?.url
    return url === undefined || identifyAddress(session, url) === identity
  } catch {
    return true
  }
}

/**
 * Returns the address of the login to a backend, or else to an API. If its file is invalid, returns
 * `a backend` or `an API`. Returns undefined without a login.
 */
function describeLogin(home: string): string | undefined {
  const readOr = (fallback: string, read: () => string | undefined): string | undefined => {
    try {
      return read()
    } catch {
      return fallback
    }
  }
  return (
    readOr('a backend', () => readSavedBackend(home)) ??
    readOr('an API', () => readLogin(home)?.url)
  )
}
