import { organizationName } from '../../shared/triggers/notifications/pulumi-payload.ts'
import type { Handler } from '../arguments/handler.ts'
import { isJsonOutput } from '../arguments/output-option.ts'
import {
  type CurrentAccount,
  describeAccount,
  readCurrentAccount,
} from '../remote/current-account.ts'

/** `whoami`: shows the store, backend or API in use, and the permissions of the token. */
export const whoami: Handler = async (session, flags) => {
  const account = await readCurrentAccount(session)
  if (isJsonOutput(flags)) {
    session.print(JSON.stringify(toAccountJson(account), null, 2))
    return 0
  }
  session.print(describeAccount(account))
  if (account.kind === 'api') {
    const stacks = account.stacks === '*' ? 'all stacks' : account.stacks.join(', ')
    session.print(`role ${account.role}, for ${stacks}`)
  }
  return 0
}

/** Returns the fields of Pulumi's JSON, which SDKs read, and further ones of Antichain. */
function toAccountJson(account: CurrentAccount): Readonly<Record<string, unknown>> {
  const { user } = account
  const commonFields = { user, organizations: [organizationName] }
  if (account.kind === 'machine') return { ...commonFields, store: account.store }
  if (account.kind === 'backend') {
    const { address, source } = account
    return { ...commonFields, url: address, backend: address, source }
  }
  const { url, name, role, stacks } = account
  return { ...commonFields, url, name, role, stacks }
}
