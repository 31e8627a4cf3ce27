import { bucketNameOf, installationNamesOf } from '../../shared/config/aws-resource-names.ts'
import { error } from '../../shared/errors/error.ts'
import type { Handler } from '../arguments/attach-handler.ts'
import { cdkErrorOf } from '../platform/cdk-failure.ts'
import { readInstallationTarget } from '../platform/installation-target.ts'
import { confirm } from '../session/session.ts'

/** `platform destroy`: deletes everything except the durable resources, and names those. */
export const destroyPlatform: Handler = async (session, flags) => {
  const where = readInstallationTarget(session, flags)
  const { installation, region } = where
  const tools = await session.tools.loadPlatform(session.io.stderr)
  const account = await tools.readAccount(where)
  const text = `This deletes the installation '${installation}' from account ${account}, ${region}. Running deployments stop; tables, bucket and keys are kept.`
  if (!(await confirm(session, flags.is('yes'), { text, answer: installation })))
    throw error('CONFIRMATION_DECLINED', 'the installation was not deleted')
  const names = installationNamesOf(installation)
  // A deletion needs no built assets.
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
    `Deleted the installation. The CloudFormation stack ${names.dataStack} remains, with ${kept.join(', ')} and two keys; docs/aws.md describes how to delete them.`,
  )
  return 0
}
