import { createError } from '../../shared/errors/error.ts'
import type { Handler } from '../arguments/handler.ts'
import { readInstallationTarget } from '../platform/installation-target.ts'
import { readTokenDays } from './token-days.ts'
import { confirm } from '../session/session.ts'

/**
 * `platform token`: creates an admin token in the tables of an installation. The secret text of the
 * token is printed once to standard output, and nowhere else.
 */
export const createPlatformToken: Handler = async (session, flags, [name = 'admin']) => {
  const target = readInstallationTarget(session, flags)
  const daysField = readTokenDays(flags)
  if (!/^[\w.@ -]{1,100}$/.test(name))
    throw createError(
      'CLI_USAGE',
      `'${name}' is not a valid token name: use 1 to 100 letters, digits, spaces and . _ @ -`,
    )
  const tools = await session.tools.loadPlatform(session.io.stderr)
  const account = await tools.readAccount(target)
  const { installation, region } = target
  const text = `This creates an admin token for the installation '${installation}' in account ${account}, ${region}.`
  if (!(await confirm(session, flags.isSet('yes'), { text, answer: installation })))
    throw createError('CONFIRMATION_DECLINED', 'no token was created')
  const createdToken = await tools.createToken(target, { name, ...daysField })
  session.print(flags.isSet('json') ? JSON.stringify(createdToken, null, 2) : createdToken.token)
  session.printToStderr(
    `Created token ${createdToken.id} ('${name}', admin). It is not shown again.`,
  )
  return 0
}
