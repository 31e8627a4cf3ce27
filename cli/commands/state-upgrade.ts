import type { FindProjects } from '../../shared/platform/backend/upgrade-layout.ts'
import { parseStackName } from '../../shared/records/stack-name.ts'
import type { Handler } from '../arguments/handler.ts'
import { confirm, type CliSession } from '../session/session.ts'

/**
 * `state upgrade`: moves the stacks of a self-managed backend from the legacy layout to that with
 * projects. Other stores are upgraded when they are opened. For them, the command only verifies
 * that every stack has the current format. Throws the error of an unreadable stack.
 */
export const upgradeState: Handler = async (session, flags) => {
  const engine = await session.openEngine()
  const legacyStacks = (await engine.listLegacyStacks?.()) ?? []
  if (engine.upgradeLayout === undefined || legacyStacks.length === 0) return verifyFormat(session)
  const text =
    `This moves ${legacyStacks.join(', ')} to the layout with projects, ` +
    'which clients before Pulumi 3.61 cannot read.'
  if (!(await confirm(session, flags.isSet('yes'), { text, answer: 'yes' }))) {
    session.printToStderr('Nothing was upgraded.')
    return 1
  }
  const { upgraded, skipped } = await engine.upgradeLayout(promptProjects(session))
  for (const { stack, reason } of skipped)
    session.printToStderr(`warning: skipped the stack '${stack}': ${reason}`)
  session.printToStderr(`Upgraded ${upgraded.length} of ${legacyStacks.length} stacks.`)
  return 0
}

async function verifyFormat(session: CliSession): Promise<number> {
  const { platform } = await session.openEngine()
  const { stacks, unreadable } = await platform.catalog.listStacks()
  const [firstUnreadable] = unreadable
  if (firstUnreadable !== undefined) throw firstUnreadable.reason
  session.printToStderr(`Nothing to upgrade. Stacks with the current format: ${stacks.length}`)
  return 0
}

/**
 * Creates the function that asks for the project of each stack. Without a terminal, the function
 * returns no project.
 */
function promptProjects({ mayPrompt, io }: CliSession): FindProjects {
  return async stacks => {
    const projects = new Map<string, string>()
    for (const stack of mayPrompt ? stacks : []) {
      const answer = await io.prompt(`Project of the stack '${stack}' (empty: skip it):`)
      const project = answer.trim()
      if (project !== '') projects.set(stack, parseStackName(`${project}/${stack}`).project ?? '')
    }
    return projects
  }
}
