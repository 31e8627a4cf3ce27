import { createError } from '../../shared/errors/error.ts'
import { organizationName } from '../../shared/triggers/notifications/pulumi-payload.ts'
import type { Handler } from '../arguments/handler.ts'
import { describeAccount, readCurrentAccount } from '../remote/current-account.ts'

/** `org`: shows the store, backend or API in use, and the organization of all stacks. */
export const showOrganization: Handler = async session => {
  session.print(`Current Backend: ${describeAccount(await readCurrentAccount(session))}`)
  session.print(`Default Org: ${organizationName}`)
  return 0
}

/** `org get-default`: prints the organization of all stacks. */
export const printDefaultOrganization: Handler = session => {
  session.print(organizationName)
  return Promise.resolve(0)
}

/** `org set-default <name>`: accepts the only organization, and refuses other names. */
export const setDefaultOrganization: Handler = (_session, _flags, [name = '']) => {
  refuseOtherOrganization(name)
  return Promise.resolve(0)
}

/** Throws CLI_USAGE for any name except that of the only organization. */
export function refuseOtherOrganization(name: string): void {
  if (name === organizationName) return
  throw createError('CLI_USAGE', `the organization '${name}' does not exist`, {
    hint: `All stacks belong to '${organizationName}'; a project groups stacks.`,
  })
}
