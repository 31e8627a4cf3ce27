import { installationNamesOf } from '../../shared/config/aws-resource-names.ts'
import { error } from '../../shared/errors/error.ts'
import type { Handler } from '../arguments/attach-handler.ts'
import type { Flags } from '../arguments/flags.ts'
import { cdkErrorOf } from '../platform/cdk-failure.ts'
import type { InstallationTarget } from '../platform/platform-port.ts'
import { readInstallationTarget } from '../platform/installation-target.ts'
import { confirm } from '../session/session.ts'

/**
 * `platform deploy`: shows the changes, asks for confirmation, and lets CloudFormation apply them.
 * With --preview it ends before the confirmation. While a table is not protected, the data stack is
 * deployed without protection first, so that CloudFormation can remove it when its creation fails.
 */
export const deployPlatform: Handler = async (session, flags) => {
  const target = readInstallationTarget(session, flags)
  const context = readContext(target, flags)
  const tools = await session.tools.loadPlatform(session.io.stderr)
  const account = await tools.readAccount(target)
  const names = installationNamesOf(target.installation)
  session.printToStderr(
    `Installation '${target.installation}', account ${account}, ${target.region}.`,
  )
  const { tables } = await tools.inspect(target, account)
  const stacks = [names.dataStack, names.mainStack]
  const diffResult = await tools.runCdk(target, ['diff', ...stacks, ...context])
  if (diffResult.exitCode !== 0) throw cdkErrorOf(diffResult.output)
  if (flags.isSet('preview')) return 0
  const text = `This changes the installation '${target.installation}' in account ${account}, ${target.region}.`
  if (!(await confirm(session, flags.isSet('yes'), { text, answer: target.installation })))
    throw error('CONFIRMATION_DECLINED', 'the installation was not changed')
  const deploy = async (args: readonly string[]): Promise<void> => {
    // The user has just confirmed these changes.
    const approval = ['--require-approval', 'never']
    const { exitCode, output } = await tools.runCdk(target, ['deploy', ...args, ...approval])
    if (exitCode !== 0) throw cdkErrorOf(output)
  }
  if (!tables.every(({ isProtected }) => isProtected))
    await deploy([names.dataStack, ...context, ...unprotectedContext])
  await deploy([...stacks, ...context])
  session.printToStderr(
    'Deployed the installation. Run `antichain platform status` to show its addresses, and `antichain platform token` to create a token.',
  )
  return 0
}

/** The context of the CDK for a data stack without protection. The last value of a key applies. */
const unprotectedContext = ['--context', 'antichain:dataProtection=off']

/** Returns the settings as context of the CDK app. Throws CLI_USAGE. */
function readContext(
  { installation, region }: InstallationTarget,
  flags: Flags,
): readonly string[] {
  const settings = flags.list('set').map(text => {
    if (!/^[A-Za-z]+=/.test(text)) throw error('CLI_USAGE', `--set takes name=value, not '${text}'`)
    return text
  })
  return [`installation=${installation}`, `region=${region}`, ...settings].flatMap(text => [
    '--context',
    `antichain:${text}`,
  ])
}
