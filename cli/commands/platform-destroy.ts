import { bucketNameOf, installationNamesOf } from '../../shared/config/aws-resource-names.ts'
import { error } from '../../shared/errors/error.ts'
import type { Handler } from '../arguments/attach-handler.ts'
import { cdkErrorOf } from '../platform/cdk-failure.ts'
import { readInstallationTarget } from '../platform/installation-target.ts'
import { confirm } from '../session/session.ts'

/** `platform destroy`: removes all but what is durable, and says what stays. */
export const destroyPlatform: Handler = async (session, flags) => {
  const where = readInstallationTarget(session, flags)
  const { installation, region } = where
  const tools = await session.tools.loadPlatform(session.io.stderr)
  const account = await tools.readAccount(where)
  const text = `This removes the installation '${installation}' from account ${account}, ${region}: deployments under way stop, tables, bucket and keys stay.`
  if (!(await confirm(session, flags.is('yes'), { text, answer: installation })))
    throw error('CONFIRMATION_DECLINED', 'the installation was not removed')
  const names = installationNamesOf(installation)
  // What is removed need not be built before.
  const unbuilt = { ...where, env: { ...where.env, ANTICHAIN_ASSETS: 'none' } }
  const done = await tools.runCdk(unbuilt, [
    'destroy',
    names.stack,
    '--exclusively',
    '--force',
    '--context',
    `antichain:installation=${installation}`,
    '--context',
    `antichain:region=${region}`,
  ])
  if (done.exit !== 0) throw cdkErrorOf(done.output)
  const kept = [names.journalTable, names.catalogTable, bucketNameOf(installation, account, region)]
  session.warn(
    `Removed. The stack ${names.dataStack} stays, with ${kept.join(', ')} and two keys; docs/aws.md says how to remove these.`,
  )
  return 0
}
