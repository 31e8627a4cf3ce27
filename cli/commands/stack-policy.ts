import type { Handler } from '../arguments/handler.ts'
import { isJsonOutput } from '../arguments/output-option.ts'

/**
 * `stack policy list`: prints empty lists in Pulumi's format. Antichain has no policy groups, and
 * lists attached packs with `policy ls --attached`.
 */
export const listStackPolicies: Handler = async (session, flags) => {
  const stack = await session.requireStack()
  if (isJsonOutput(flags)) {
    const policyPacks = { audit: [], preventative: [] }
    session.print(JSON.stringify({ stack, policyGroups: [], policyPacks }, null, 2))
    return 0
  }
  session.print(`No policy groups apply to the stack ${stack}.\n`)
  session.print(`The stack ${stack} has no policy packs of a policy group.`)
  session.print("Run 'antichain policy ls --attached' to list the attached packs.")
  return 0
}
