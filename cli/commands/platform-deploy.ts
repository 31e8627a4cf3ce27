import {
  groupInstallationOf,
  installationNamesOf,
  keyParameters,
} from '../../shared/config/aws-resource-names.ts'
import { defaultGroup } from '../../shared/config/stack-groups.ts'
import { createError } from '../../shared/errors/error.ts'
import type { Handler } from '../arguments/handler.ts'
import type { Flags } from '../arguments/flags.ts'
import { cdkErrorOf } from '../platform/cdk-failure.ts'
import { findSetting } from '../platform/find-setting.ts'
import { findNetworkFaults, readDeployedNetwork } from '../platform/find-network-faults.ts'
import type {
  InstallationStatus,
  InstallationTarget,
  PlatformTools,
} from '../platform/platform-port.ts'
import { readInstallationTarget } from '../platform/installation-target.ts'
import { confirm } from '../session/session.ts'

/**
 * `platform deploy`: shows the changes, asks for confirmation, and lets CloudFormation apply them.
 * With --preview it ends before the confirmation. If a table is missing or lacks deletion
 * protection, it first deploys the data stack without that protection. CloudFormation can then
 * remove the stack when its creation fails.
 */
export const deployPlatform: Handler = async (session, flags) => {
  const target = readInstallationTarget(session, flags)
  const settings = readSettings(flags)
  const tools = await session.tools.loadPlatform(session.io.stderr)
  const account = await tools.readAccount(target)
  const names = installationNamesOf(target.installation)
  session.printToStderr(
    `Installation '${target.installation}', account ${account}, ${target.region}.`,
  )
  const status = await tools.inspect(target, account)
  const { tables } = status
  const allSettings = [...tools.readContextSettings(), ...settings]
  requireSameDataKey(tables, allSettings)
  await requireSameSecretsKey(tools, target, allSettings)
  const context = toContextArgs([
    `installation=${target.installation}`,
    `region=${target.region}`,
    `availableConcurrency=${await tools.readAvailableConcurrency(target)}`,
    ...settings,
  ])
  const stacks = [names.dataStack, names.mainStack]
  const diffResult = await tools.runCdk(target, ['diff', ...stacks, ...context])
  if (diffResult.exitCode !== 0) throw cdkErrorOf(diffResult.output)
  await requireUsableNetwork(tools, target, allSettings)
  for (const group of await listBusyGroups(tools, target, status))
    session.printToStderr(formatBusyWarning(group))
  if (flags.isSet('preview')) return 0
  const text = `This changes the installation '${target.installation}' in account ${account}, ${target.region}.`
  if (!(await confirm(session, flags.isSet('yes'), { text, answer: target.installation })))
    throw createError('CONFIRMATION_DECLINED', 'the installation was not changed')
  const parameters = listKeyParameters(stacks, allSettings)
  const deploy = async (args: readonly string[]): Promise<void> => {
    // The user has just confirmed these changes.
    const approval = ['--require-approval', 'never']
    const { exitCode, output } = await tools.runCdk(target, [
      ...['deploy', ...args, ...parameters, ...approval],
    ])
    if (exitCode !== 0) throw cdkErrorOf(output)
  }
  if (!tables.every(({ isProtected }) => isProtected))
    await deploy([names.dataStack, ...context, ...toContextArgs(['dataProtection=off'])])
  await deploy([...stacks, ...context])
  session.printToStderr(
    'Deployed the installation. Run `antichain platform status` to show its addresses, and `antichain platform token` to create a token.',
  )
  return 0
}

/**
 * Throws PLATFORM_SETTING_INVALID if functions in the network of the settings could not reach AWS.
 * The CDK has accepted the settings before.
 */
async function requireUsableNetwork(
  tools: PlatformTools,
  target: InstallationTarget,
  settings: readonly string[],
): Promise<void> {
  const network = readDeployedNetwork(settings)
  if (network === undefined) return
  const faults = findNetworkFaults(network, await tools.describeSubnets(target, network.subnets))
  if (faults.length > 0)
    throw createError(
      'PLATFORM_SETTING_INVALID',
      `functions would not reach AWS from ${network.vpc}: ${faults.join('; ')}`,
      {
        hint: 'Add a NAT gateway or endpoints, or name other subnets (docs/aws.md, "Private networks").',
      },
    )
}

/**
 * Refuses settings that remove the key with which an installation encrypts its data. Functions
 * would lose the permission to use the key, and could not read stored objects. Also refuses
 * settings that add such a key, which is billed and could not be removed again. The settings of an
 * earlier deployment are not stored, so a user may have omitted `dataKey` by mistake. Throws
 * PLATFORM_SETTING_INVALID.
 */
function requireSameDataKey(
  tables: InstallationStatus['tables'],
  settings: readonly string[],
): void {
  const existingTables = tables.filter(({ status }) => status !== undefined)
  const dataKey = findSetting(settings, 'dataKey') ?? 'own'
  // The CDK itself refuses any other value.
  if (existingTables.length === 0 || !['own', 'aws'].includes(dataKey)) return
  const usesOwnKey = existingTables.some(({ hasOwnKey }) => hasOwnKey)
  if (dataKey === (usesOwnKey ? 'own' : 'aws')) return
  throw createError(
    'PLATFORM_SETTING_INVALID',
    usesOwnKey
      ? 'dataKey=aws applies to new installations only: a key of this installation encrypts its data'
      : 'the key for data cannot change: a key of AWS encrypts the data of this installation',
    {
      hint: `${usesOwnKey ? 'Leave dataKey out' : 'Add --set dataKey=aws'}, or create another installation with another --installation.`,
    },
  )
}

/**
 * Refuses to replace the key that encrypted the existing secrets. The settings of an earlier
 * deployment are not stored, so a user may have omitted `secretsKey` by mistake. For a new
 * installation, refuses a key that cannot be used. Throws PLATFORM_SETTING_INVALID,
 * PLATFORM_PERMISSION_MISSING, PLATFORM_FAILED.
 */
async function requireSameSecretsKey(
  tools: PlatformTools,
  target: InstallationTarget,
  settings: readonly string[],
): Promise<void> {
  const key = await tools.describeSecretsKey(target)
  const secretsKey = findSetting(settings, 'secretsKey') ?? 'own'
  if (key === undefined) {
    // The CDK reports a setting that is no ARN.
    if (!secretsKey.startsWith('arn:')) return
    const fault = await tools.findSecretsKeyFault(target, secretsKey)
    if (fault !== undefined)
      throw createError('PLATFORM_SETTING_INVALID', `secretsKey=${secretsKey}: ${fault}`)
    return
  }
  if (secretsKey === (key.isOwn ? 'own' : key.arn)) return
  const keyName = key.isOwn ? 'a key of this installation' : key.arn
  throw createError(
    'PLATFORM_SETTING_INVALID',
    `the key for secrets cannot change: ${keyName} encrypts the secrets of this installation`,
    {
      hint: key.isOwn
        ? 'Leave secretsKey out, or create another installation with another --installation.'
        : `Add --set secretsKey=${key.arn}, or create another installation with another --installation.`,
    },
  )
}

/** Returns the settings of --set, as name=value. Throws CLI_USAGE. */
function readSettings(flags: Flags): readonly string[] {
  return flags.list('set').map(text => {
    const [, name = ''] = /^([A-Za-z]+)=/.exec(text) ?? []
    if (name === '') throw createError('CLI_USAGE', `--set takes name=value, not '${text}'`)
    // With two values, the command would show one installation and change another one.
    if (name === 'installation' || name === 'region')
      throw createError('CLI_USAGE', `--set does not take the ${name}: use --${name}`)
    return text
  })
}

/** Returns settings as arguments of the CDK. The last value of a setting applies. */
function toContextArgs(settings: readonly string[]): readonly string[] {
  return settings.flatMap(text => ['--context', `antichain:${text}`])
}

/**
 * Returns the arguments that pass the checked settings of the keys as parameters of the
 * CloudFormation stacks. A rule of each stack compares them with the settings of its template.
 */
function listKeyParameters(
  stacks: readonly string[],
  settings: readonly string[],
): readonly string[] {
  const names = Object.keys(keyParameters) as (keyof typeof keyParameters)[]
  return stacks.flatMap(stack =>
    names.flatMap(name => {
      const value = findSetting(settings, name) ?? 'own'
      return ['--parameters', `${stack}:${keyParameters[name]}=${value}`]
    }),
  )
}

/**
 * Returns the names of the groups whose long pool has busy tasks. Throws
 * PLATFORM_PERMISSION_MISSING, PLATFORM_FAILED.
 */
async function listBusyGroups(
  tools: PlatformTools,
  target: InstallationTarget,
  { groups }: InstallationStatus,
): Promise<readonly string[]> {
  const { installation } = target
  const pools = [
    { group: defaultGroup, cluster: installation },
    ...Object.keys(groups).map(group => {
      return { group, cluster: groupInstallationOf(installation, group) }
    }),
  ]
  const counts = await Promise.all(
    pools.map(({ cluster }) => tools.countProtectedTasks(target, cluster)),
  )
  return pools.filter((_, index) => (counts[index] ?? 0) > 0).map(({ group }) => group)
}

function formatBusyWarning(group: string): string {
  const pool = group === defaultGroup ? 'the long pool' : `the long pool of the group '${group}'`
  return `warning: tasks of ${pool} are busy. CloudFormation can wait for them for hours, and then roll its changes back.`
}
