import { bucketNameOf, installationNamesOf } from '../../shared/config/aws-resource-names.ts'
import { createError } from '../../shared/errors/error.ts'
import type { Handler } from '../arguments/handler.ts'
import { cdkErrorOf } from '../platform/cdk-failure.ts'
import { readInstallationTarget } from '../platform/installation-target.ts'
import { confirm } from '../session/session.ts'

/** `platform destroy`: deletes an installation, and prints the durable resources that remain. */
export const destroyPlatform: Handler = async (session, flags) => {
  const target = readInstallationTarget(session, flags)
  const { installation, region } = target
  const tools = await session.tools.loadPlatform(session.io.stderr)
  const account = await tools.readAccount(target)
  const text = `This deletes the installation '${installation}' from account ${account}, ${region}. Running deployments stop; tables, bucket and keys are kept.`
  if (!(await confirm(session, flags.isSet('yes'), { text, answer: installation })))
    throw createError('CONFIRMATION_DECLINED', 'the installation was not deleted')
  const names = installationNamesOf(installation)
  // A deletion needs no built assets.
  const targetWithoutAssets = { ...target, env: { ...target.env, ANTICHAIN_ASSETS: 'none' } }
  const destroyResult = await tools.runCdk(targetWithoutAssets, [
    'destroy',
    names.mainStack,
    '--exclusively',
    '--force',
    '--context',
    `antichain:installation=${installation}`,
    '--context',
    `antichain:region=${region}`,
  ])
  if (destroyResult.exitCode !== 0) throw cdkErrorOf(destroyResult.output)
  const remainingNames = [
    names.journalTable,
    names.catalogTable,
    bucketNameOf(installation, account, region),
  ]
  session.printToStderr(
    `Deleted the installation. The CloudFormation stack ${names.dataStack} remains, with ${remainingNames.join(', ')} and its keys; docs/aws.md describes how to delete them.`,
  )
  return 0
}
