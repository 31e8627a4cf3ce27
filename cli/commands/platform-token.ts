import { error } from '../../shared/errors/error.ts'
import type { Handler } from '../arguments/attach-handler.ts'
import { readInstallationTarget } from '../platform/installation-target.ts'
import { confirm } from '../session/session.ts'

/**
 * `platform token`: creates an admin token by the tables of an installation. Its text is printed
 * once to standard output, and nowhere else.
 */
export const createPlatformToken: Handler = async (session, flags, [name = 'admin']) => {
  const where = readInstallationTarget(session, flags)
  const days = flags.text('days')
  if (days !== undefined && !/^[1-9]\d{0,3}$/.test(days))
    throw error('CLI_USAGE', `--days takes a number from 1 to 9999, not '${days}'`)
  if (!/^[\w.@ -]{1,100}$/.test(name))
    throw error(
      'CLI_USAGE',
      `'${name}' is not a valid token name: use letters, digits, spaces and . _ @ -`,
    )
  const tools = await session.tools.loadPlatform(session.io.stderr)
  const account = await tools.readAccount(where)
  const { installation, region } = where
  const text = `This creates an admin token for the installation '${installation}' in account ${account}, ${region}.`
  if (!(await confirm(session, flags.is('yes'), { text, answer: installation })))
    throw error('CONFIRMATION_DECLINED', 'no token was created')
  const made = await tools.createToken(where, {
    name,
    ...(days === undefined ? {} : { days: Number(days) }),
  })
  session.print(flags.is('json') ? JSON.stringify(made, null, 2) : made.token)
  session.warn(`Created token ${made.id} ('${name}', admin). It is not shown again.`)
  return 0
}
