import * as z from 'zod'
import type { EnginePort } from '../../local/engine-port.ts'
import { readUserName } from '../../shared/platform/system/system-user.ts'
import { readCurrentBackend } from '../backends/current-backend.ts'
import type { CliSession } from '../session/session.ts'
import { parseReply } from './api-client.ts'
import { readLogin } from './saved-login.ts'

/** The place of the stacks in use, and the user there. */
export type CurrentAccount =
  | { readonly kind: 'machine'; readonly user: string; readonly store: string }
  | {
      readonly kind: 'backend'
      readonly user: string
      readonly address: string
      /** The setting that selects the backend: `PULUMI_BACKEND_URL`, `project` or `login`. */
      readonly source: string
    }
  | ({ readonly kind: 'api'; readonly user: string; readonly url: string } & TokenIdentity)

const identityForm = z.object({
  name: z.string(),
  role: z.string(),
  stacks: z.union([z.literal('*'), z.array(z.string())]),
})

/** The name, role and stacks of a token. */
export type TokenIdentity = z.infer<typeof identityForm>

/** Requests the name, role and stacks of the token from its API, which has the address `url`. */
export async function readTokenIdentity(
  { callApi }: Pick<EnginePort, 'callApi'>,
  url: string,
): Promise<TokenIdentity> {
  return parseReply(identityForm, await callApi({ method: 'GET', path: '/v1/whoami' }), url)
}

/** Returns the account in use. Requests the identity of a token from the API of the login. */
export async function readCurrentAccount(session: CliSession): Promise<CurrentAccount> {
  const { home, cwd, io } = session
  const user = io.env['USER'] || io.env['LOGNAME'] || readUserName(io.env)
  const backend = readCurrentBackend({ home, cwd, env: io.env })
  if (backend !== undefined) return { kind: 'backend', user, ...backend }
  const login = readLogin(home)
  if (login === undefined) return { kind: 'machine', user, store: home }
  const identity = await readTokenIdentity(await session.openEngine(), login.url)
  return { kind: 'api', user: identity.name, url: login.url, ...identity }
}

/** Describes the place of an account in one line. */
export function describeAccount(account: CurrentAccount): string {
  if (account.kind === 'machine') return `this machine: ${account.store}`
  if (account.kind === 'api') return `${account.user} at ${account.url}`
  return `the self-managed backend ${account.address} (from ${account.source})`
}
