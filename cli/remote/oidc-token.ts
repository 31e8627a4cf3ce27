import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import * as z from 'zod'
import { createError, messageOf } from '../../shared/errors/error.ts'
import type { Flags } from '../arguments/flags.ts'
import type { CliSession } from '../session/session.ts'
import { createApiClient } from './api-client.ts'

/** Reports whether options request a login with an OIDC token. */
export function requestsOidc(flags: Flags): boolean {
  const tokens = [flags.text('oidcTokenFile'), flags.text('oidcToken')]
  return flags.isSet('oidc') || tokens.some(text => text !== undefined)
}

/**
 * Returns the OIDC token of a CI job: from `--oidc-token-file` or `--oidc-token`, from
 * ANTICHAIN_OIDC_TOKEN, or from GitHub Actions for the audience. Throws OIDC_TOKEN_MISSING,
 * FILE_UNREADABLE.
 */
export async function readOidcToken(
  session: CliSession,
  flags: Flags,
  audience: string,
): Promise<string> {
  const tokenOption = flags.text('oidcToken') ?? ''
  const prefix = 'file://'
  const file =
    flags.text('oidcTokenFile') ??
    (tokenOption.startsWith(prefix) ? tokenOption.slice(prefix.length) : undefined)
  const { env } = session.io
  const presetToken =
    file === undefined
      ? tokenOption || (env['ANTICHAIN_OIDC_TOKEN'] ?? '')
      : await readTokenFile(session, file)
  if (presetToken.trim() !== '') return presetToken.trim()
  if (file !== undefined) throw createError('OIDC_TOKEN_MISSING', `${file} has no OIDC token`)
  const requestUrl = env['ACTIONS_ID_TOKEN_REQUEST_URL']
  const requestToken = env['ACTIONS_ID_TOKEN_REQUEST_TOKEN']
  if (requestUrl !== undefined && requestToken !== undefined)
    return requestGithubToken(requestUrl, requestToken, audience)
  const subject =
    env['GITHUB_ACTIONS'] === 'true' ? 'this job of GitHub Actions' : 'this environment'
  throw createError('OIDC_TOKEN_MISSING', `${subject} has no OIDC token`)
}

async function readTokenFile(session: CliSession, file: string): Promise<string> {
  if (file === '-') return session.io.readInput()
  const path = resolve(session.cwd, file)
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw createError('FILE_UNREADABLE', `cannot read ${path}: ${messageOf(cause)}`, { cause })
  }
}

/** Requests a token of this job from GitHub Actions. `requestUrl` may already have a query. */
async function requestGithubToken(
  requestUrl: string,
  requestToken: string,
  audience: string,
): Promise<string> {
  try {
    const { origin, pathname, search } = new URL(requestUrl)
    const client = createApiClient({ url: origin, token: requestToken })
    const path = `${pathname}${search}${search === '' ? '?' : '&'}audience=${encodeURIComponent(audience)}`
    const response = await client.call({ method: 'GET', path })
    return z.object({ value: z.string().min(1) }).parse(response).value
  } catch (cause) {
    const reason = cause instanceof z.ZodError ? 'its response has no token' : messageOf(cause)
    throw createError('OIDC_TOKEN_MISSING', `GitHub Actions issued no OIDC token: ${reason}`, {
      cause,
    })
  }
}
