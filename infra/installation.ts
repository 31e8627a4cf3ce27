import { type App, CfnOutput, Lazy, Stack, Tags } from 'aws-cdk-lib'
import { DockerImageAsset, Platform } from 'aws-cdk-lib/aws-ecr-assets'
import { Construct } from 'constructs'
import { awsTags, installationNamesOf } from '../shared/config/aws-resource-names.ts'
import { formatStackGroups } from '../shared/config/stack-groups.ts'
import type { Assets } from './assets.ts'
import { type Addresses, createEndpoints } from './constructs/endpoints.ts'
import { createStores } from './constructs/stores.ts'
import { createKeys, createSecretsKey, type EncryptionKeys } from './constructs/encryption.ts'
import { createFunctions, type DeployedFunction, type Functions } from './constructs/functions.ts'
import { createLongPool } from './constructs/long-pool.ts'
import { createKeyGuard } from './constructs/key-guard.ts'
import { createObservability } from './constructs/observability.ts'
import { createPrivateNetwork } from './constructs/private-network.ts'
import { createTaggedScope } from './constructs/create-tagged-scope.ts'
import { createQueues } from './constructs/queues.ts'
import { createSchedules, scheduleRoleNameOf } from './constructs/schedules.ts'
import { createResourceVariables, type ResourceVariables } from './resource-variables.ts'
import type { FunctionName } from './function-row.ts'
import { functionsTable, groupRows } from './functions-table.ts'
import { imageLanguages, imagePackagesOf, imageToolsOf } from './image-languages.ts'
import { functionArnOf, groupScopeOf, groupSettingsOf } from './names.ts'
import type { GrantContext, GroupResources } from './grant-context.ts'
import { computeStreamsMax } from './reserved-concurrency.ts'
import type { Settings } from './settings.ts'

/** The two CloudFormation stacks of an installation. */
export interface Installation {
  /** Tables, bucket and keys. This stack is retained when the main stack is deleted. */
  readonly data: Stack
  readonly main: Stack
}

/** Creates all resources of one installation. Their names begin with the installation's name. */
export function createInstallation(app: App, settings: Settings, assets: Assets): Installation {
  const names = installationNamesOf(settings.installation)
  const env = { region: settings.region }
  const data = new Stack(app, names.dataStack, {
    env,
    description: 'Antichain: tables, bucket and keys',
    // The CDK cannot delete a protected stack, even one whose creation failed. So `platform deploy`
    // first creates this stack with `dataProtection=off`.
    terminationProtection: settings.dataProtection === 'on',
  })
  const keys = createKeys(data, settings)
  const stores = createStores(data, settings, keys)
  const main = new Stack(app, names.mainStack, {
    env,
    description: 'Antichain: functions, queues, API, schedules, long pool, alarms',
  })
  const queues = createQueues(main, settings.installation)
  const groups = settings.groups.map(({ name }) =>
    createGroup({ data, main }, { settings, name, dataKey: keys.data }),
  )
  const grantContext = {
    settings,
    keys,
    stores,
    queues,
    otherGroups: groups.map(({ resources }) => resources),
    installationSettings: settings,
  }
  createMainResources(main, { grantContext, groups }, assets)
  for (const stack of [data, main]) {
    addTags(stack, settings)
    createKeyGuard(stack, settings)
  }
  return { data, main }
}

/** A group besides the default one: its resources, and the scope of its other constructs. */
interface StackGroupParts {
  readonly resources: GroupResources
  readonly scope: Construct
}

/** Creates the tables, the bucket, the key for secrets and the queues of a group. */
function createGroup(
  { data, main }: Installation,
  group: {
    readonly settings: Settings
    readonly name: string
    readonly dataKey: EncryptionKeys['data']
  },
): StackGroupParts {
  const { name, dataKey } = group
  const settings = groupSettingsOf(group.settings, name)
  const [dataScope, scope] = [data, main].map(stack => {
    const construct = new Construct(stack, groupScopeOf(name))
    Tags.of(construct).add(awsTags.group, name)
    return construct
  }) as [Construct, Construct]
  const keys = { data: dataKey, secrets: createSecretsKey(dataScope, settings) }
  const stores = createStores(dataScope, settings, keys)
  return {
    resources: { settings, keys, stores, queues: createQueues(scope, settings.installation) },
    scope,
  }
}

function createMainResources(
  main: Stack,
  {
    grantContext,
    groups,
  }: { readonly grantContext: GrantContext; readonly groups: readonly StackGroupParts[] },
  assets: Assets,
): void {
  const { settings } = grantContext
  let addresses: Addresses | undefined
  const resourceVariables = createInstallationVariables(main, grantContext, () => addresses)
  const image = createImage(main, settings, assets)
  const network = createPrivateNetwork(main, settings)
  const input = { ...grantContext, assets, image, resourceVariables, network }
  const functions = createFunctions(main, input)
  const [api, service] = [requireFunction(functions, 'api'), requireFunction(functions, 'service')]
  addresses = createEndpoints(main, settings, {
    api,
    service,
    webhook: requireFunction(functions, 'webhook'),
  })
  const groupInputs = groups.map(({ resources, scope }) => {
    const groupContext = { ...resources, otherGroups: [], installationSettings: settings }
    const variables = createInstallationVariables(main, groupContext, () => addresses)
    const groupInput = { ...input, ...groupContext, resourceVariables: variables }
    return { ...groupInput, scope, functions: createFunctions(scope, groupInput, groupRows) }
  })
  createSchedules(main, {
    settings,
    addresses,
    api,
    service,
    schedule: requireFunction(functions, 'schedule'),
    groups: [{ settings, functions }, ...groupInputs].map(group => ({
      settings: group.settings,
      compaction: requireFunction(group.functions, 'compaction'),
      scaler: requireFunction(group.functions, 'scaler'),
    })),
  })
  const taskNetwork = createLongPool(main, { ...grantContext, image, resourceVariables, network })
  for (const group of groupInputs) createLongPool(group.scope, { ...group, network: taskNetwork })
  createObservability(main, { ...grantContext, functions, scope: main }, groupInputs)
  new CfnOutput(main, 'ApiUrl', { value: addresses.apiUrl })
  new CfnOutput(main, 'ServiceUrl', { value: addresses.serviceUrl })
  new CfnOutput(main, 'WebhookUrl', { value: addresses.webhookUrl })
}

function requireFunction(functions: Functions, name: FunctionName): DeployedFunction {
  const deployed = functions.get(name)
  if (deployed === undefined) throw new Error(`the functions table has no row ${name}`)
  return deployed
}

/** Creates the image of the generator, the installer, and both kinds of long-pool tasks. */
function createImage(main: Stack, settings: Settings, assets: Assets): DockerImageAsset {
  const rows = functionsTable.filter(
    row => row.packaging === 'image' || row.longEntry !== undefined,
  )
  return new DockerImageAsset(createTaggedScope(main, 'Image'), 'Programs', {
    directory: assets.bundleImage(rows),
    platform: settings.architecture === 'arm64' ? Platform.LINUX_ARM64 : Platform.LINUX_AMD64,
    buildArgs: { PACKAGES: imagePackagesOf(imageLanguages), TOOLS: imageToolsOf(imageLanguages) },
  })
}

/**
 * Creates the values of the environment variables. The value of a queue is its URL, as SQS
 * requires.
 */
function createInstallationVariables(
  main: Stack,
  grantContext: GrantContext,
  addresses: () => Addresses | undefined,
): ResourceVariables {
  const { settings, keys, stores, queues, otherGroups, installationSettings } = grantContext
  const names = installationNamesOf(installationSettings.installation)
  return createResourceVariables({
    installation: () => settings.installation,
    journalTable: () => stores.journalTable.tableName,
    catalogTable: () => stores.catalogTable.tableName,
    bucket: () => stores.bucket.bucketName,
    chainsQueue: () => queues.chains.queue.queueUrl,
    chainsLongQueue: () => queues['chains-long'].queue.queueUrl,
    chainsDeadQueue: () => queues.chains.deadLetterQueue.queueUrl,
    chainsLongDeadQueue: () => queues['chains-long'].deadLetterQueue.queueUrl,
    nudgesQueue: () => queues.nudges.queue.queueUrl,
    nudgesLongQueue: () => queues['nudges-long'].queue.queueUrl,
    notificationsQueue: () => queues.notifications.queue.queueUrl,
    notificationsDeadQueue: () => queues.notifications.deadLetterQueue.queueUrl,
    secretsKey: () => keys.secrets.keyArn,
    scheduleGroup: () => names.scheduleGroup,
    scheduleRole: () =>
      main.formatArn({
        service: 'iam',
        region: '',
        resource: 'role',
        resourceName: scheduleRoleNameOf(installationSettings),
      }),
    scheduleFunction: () => functionArnOf(main, installationSettings, 'schedule'),
    compactionFunction: () => functionArnOf(main, settings, 'compaction'),
    apiFunction: () => functionArnOf(main, installationSettings, 'api'),
    installerFunction: () => functionArnOf(main, installationSettings, 'installer'),
    scalerFunction: () => functionArnOf(main, settings, 'scaler'),
    longTasksMax: () => String(settings.longTasksMax),
    streamsMax: () => String(computeStreamsMax(settings)),
    inlineMax: () => String(settings.inlineMax),
    groups: () => formatStackGroups(installationSettings.groups),
    groupKeys: () => otherGroups.map(group => group.keys.secrets.keyArn).join(','),
    // The addresses are created after the functions that need them.
    webhookUrl: () => Lazy.string({ produce: () => addresses()?.webhookUrl ?? '' }),
    apiUrl: () => Lazy.string({ produce: () => addresses()?.apiUrl ?? '' }),
    serviceUrl: () => Lazy.string({ produce: () => addresses()?.serviceUrl ?? '' }),
  })
}

function addTags(stack: Stack, settings: Settings): void {
  Tags.of(stack).add(awsTags.installation, settings.installation)
  for (const tag of settings.tags) {
    const separatorIndex = tag.indexOf('=')
    Tags.of(stack).add(tag.slice(0, separatorIndex), tag.slice(separatorIndex + 1))
  }
}
