import type { Handler } from '../arguments/handler.ts'

/**
 * `state upgrade`: verifies that every stack has the current format. A store is upgraded when it is
 * opened, so no stack is ever left to upgrade. Throws the error of an unreadable stack.
 */
export const upgradeState: Handler = async session => {
  const { platform } = await session.openEngine()
  const { stacks, unreadable } = await platform.catalog.listStacks()
  const [firstUnreadable] = unreadable
  if (firstUnreadable !== undefined) throw firstUnreadable.reason
  session.printToStderr(`Nothing to upgrade. Stacks with the current format: ${stacks.length}`)
  return 0
}
