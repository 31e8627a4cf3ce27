import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { createError } from '../../../errors/error.ts'

const credentialsForm = z.object({
  current: z.string().optional(),
  accessTokens: z.record(z.string(), z.string()).optional(),
  accounts: z.record(z.string(), z.object({ accessToken: z.string().optional() })).optional(),
})

/**
 * Returns the access token for the service at an address. It is PULUMI_ACCESS_TOKEN if the service
 * is the current one, or the token that `pulumi login` stored for exactly this address. The current
 * service is that of PULUMI_BACKEND_URL, else of the last login, else Pulumi Cloud. A state can
 * name any address. An address that is neither current nor stored gets no token. Throws
 * SECRETS_CREDENTIALS_MISSING.
 */
export function readServiceToken(
  address: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const { current, accessTokens = {}, accounts = {} } = readCredentials(env)
  const currentAddress = env['PULUMI_BACKEND_URL'] || current || 'https://api.pulumi.com'
  const isCurrent = stripTrailingSlashes(currentAddress) === stripTrailingSlashes(address)
  const token =
    (isCurrent ? env['PULUMI_ACCESS_TOKEN'] : '') ||
    accounts[address]?.accessToken ||
    accessTokens[address] ||
    ''
  if (token !== '') return token
  throw createError('SECRETS_CREDENTIALS_MISSING', `there is no access token for ${address}`, {
    hint: `Set PULUMI_ACCESS_TOKEN, and PULUMI_BACKEND_URL to ${address}, or run \`pulumi login ${address}\`.`,
  })
}

function readCredentials(
  env: Readonly<Record<string, string | undefined>>,
): z.infer<typeof credentialsForm> {
  const folder =
    env['PULUMI_CREDENTIALS_PATH'] ||
    env['PULUMI_HOME'] ||
    join(env['HOME'] || homedir(), '.pulumi')
  try {
    const text = readFileSync(join(folder, 'credentials.json'), 'utf8')
    return credentialsForm.safeParse(JSON.parse(text)).data ?? {}
  } catch {
    // Without a login, or with an unreadable one, only PULUMI_ACCESS_TOKEN counts.
    return {}
  }
}

function stripTrailingSlashes(address: string): string {
  return address.replace(/\/+$/, '')
}
